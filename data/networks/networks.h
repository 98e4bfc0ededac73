// SPDX-License-Identifier: Apache-2.0
// Declares the networks from which the shipped traces are recorded, one
// function each.
//
// The networks follow the papers that data/README.md cites, in the form in
// which inference runtimes execute them: batch normalisation and ReLU are part
// of the convolution before them wherever possible. The order of the calls is
// the order of execution. Therefore no call takes two other calls as arguments,
// because compilers evaluate them in different orders.
#ifndef STOWAGE_DATA_NETWORKS_NETWORKS_H_
#define STOWAGE_DATA_NETWORKS_NETWORKS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/networks/network.h"

namespace stowage::networks {

// A network that has a trace: data/traces/<name>.csv.
struct NamedNetwork {
  absl::string_view name;
  absl::string_view description;  // for the table in data/README.md
  void (*describe)(Network& network);
};

// Returns all networks, sorted by name.
absl::Span<const NamedNetwork> AllNetworks();

// Returns the network of this name, or null if there is none.
const NamedNetwork* FindNetwork(absl::string_view name);

// Returns all networks with parameters (dynamic.h), sorted by name. Each is
// kept as data/dynamic/<name>.json.
absl::Span<const NamedNetwork> AllDynamicNetworks();

// Returns the network with parameters of this name, or null if there is none.
const NamedNetwork* FindDynamicNetwork(absl::string_view name);

// mobilenet.cc
void MobileNetV1(Network& network);
void MobileNetV2Int8(Network& network);
void MobileNetV2ByImage(Network& network);
void MobileNetV3(Network& network);

// keyword.cc
void KeywordInt8(Network& network);

// squeezenet.cc
void SqueezeNetHalfWeights(Network& network);

// inception.cc
void InceptionV3(Network& network);
void InceptionByImage(Network& network);

// resnet.cc
void ResNet50Batch8(Network& network);

// densenet.cc
void DenseNet121(Network& network);
void DenseUNet56(Network& network);

// nasnet.cc
void NasNetMobile(Network& network);

// hrnet.cc
void HRNet(Network& network);

// unet.cc
void UNet(Network& network);
void UNetPlusPlus(Network& network);
void UNetPlusPlusByTiles(Network& network);

// deeplab.cc
void DeepLabV3(Network& network);
void DeepLabByImage(Network& network);

// detector.cc
void SsdMobileNet(Network& network);
void SsdByImage(Network& network);
void RetinaNet(Network& network);
void DetectorByProposals(Network& network);

// recurrent.cc
void Lstm(Network& network);
void BidirectionalLstm(Network& network);

// transformer.cc
void Bert(Network& network);
void VisionTransformerHalf(Network& network);
void DecoderWithCache(Network& network);
void BertBySequence(Network& network);
void BertByBatch(Network& network);
void BertByBatchAndSequence(Network& network);
void VisionTransformerByImage(Network& network);
void DecoderByCache(Network& network);
void DecoderByWordsAndCache(Network& network);
void SpeechByFramesAndTokens(Network& network);
void LoopOverRows(Network& network);

// training.cc
void ResNetTrainingStep(Network& network);

}  // namespace stowage::networks

#endif  // STOWAGE_DATA_NETWORKS_NETWORKS_H_
