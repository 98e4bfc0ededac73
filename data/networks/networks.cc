// SPDX-License-Identifier: Apache-2.0
#include "data/networks/networks.h"

#include <algorithm>

namespace stowage::networks {

absl::Span<const NamedNetwork> AllNetworks() {
  static constexpr NamedNetwork kNetworks[] = {
      {"bert", "BERT base, 128 positions", Bert},
      {"bidirectional_lstm", "pyramid of 4 bidirectional LSTM layers, batch 4",
       BidirectionalLstm},
      {"decoder_kv_cache", "GPT-2-like decoder, 6 words one after the other",
       DecoderWithCache},
      {"deeplab_v3", "DeepLab v3 on ResNet-50, 513x513", DeepLabV3},
      {"dense_unet56", "FC-DenseNet56, 224x224", DenseUNet56},
      {"densenet121", "DenseNet-121", DenseNet121},
      {"hrnet", "HRNetV2-W18, 512x512", HRNet},
      {"inception_v3", "Inception v3", InceptionV3},
      {"keyword_int8", "DS-CNN for keyword spotting, int8", KeywordInt8},
      {"lstm", "2 LSTM layers, 24 time steps", Lstm},
      {"mobilenet_v1", "MobileNet v1", MobileNetV1},
      {"mobilenet_v2_int8", "MobileNet v2, int8 between float ends",
       MobileNetV2Int8},
      {"mobilenet_v3", "MobileNet v3 large", MobileNetV3},
      {"nasnet_mobile", "NASNet-A mobile", NasNetMobile},
      {"resnet20_training", "ResNet-20, one step of training, batch 32",
       ResNetTrainingStep},
      {"resnet50_batch8", "ResNet-50, batch 8", ResNet50Batch8},
      {"retinanet", "RetinaNet on ResNet-50, 512x512", RetinaNet},
      {"squeezenet_f16_weights", "SqueezeNet, weights stored as float16",
       SqueezeNetHalfWeights},
      {"ssd_mobilenet_v1", "SSD on MobileNet v1, 300x300", SsdMobileNet},
      {"unet", "U-Net, 572x572", UNet},
      {"unet_plus_plus", "U-Net++, 384x384", UNetPlusPlus},
      {"vit_f16", "Vision transformer base, patches of 16, float16",
       VisionTransformerHalf},
  };
  return kNetworks;
}

absl::Span<const NamedNetwork> AllDynamicNetworks() {
  static constexpr NamedNetwork kNetworks[] = {
      {"bert_batch", "BERT base, 128 positions", BertByBatch},
      {"bert_batch_sequence", "BERT base, at most 4096 positions",
       BertByBatchAndSequence},
      {"bert_sequence", "BERT base", BertBySequence},
      {"decoder_cache", "GPT-2, one word after those of a cache",
       DecoderByCache},
      {"decoder_words_cache", "GPT-2, n words after those of a cache",
       DecoderByWordsAndCache},
      {"deeplab_image", "DeepLab v3 on ResNet-50", DeepLabByImage},
      {"detector_proposals", "Mask R-CNN on ResNet-50, 512x512",
       DetectorByProposals},
      {"inception_image", "Inception v3", InceptionByImage},
      {"loop_rows", "one turn of a loop over 64 rows, attention to both sides",
       LoopOverRows},
      {"mobilenet_v2_image", "MobileNet v2, int8 between float ends",
       MobileNetV2ByImage},
      {"speech", "Whisper tiny: encoder of frames, decoder of tokens",
       SpeechByFramesAndTokens},
      {"ssd_image", "SSD on MobileNet v1", SsdByImage},
      {"unet_plus_plus_tiles", "U-Net++, in tiles of 16x16 pixels",
       UNetPlusPlusByTiles},
      {"vit_image", "Vision transformer base, patches of 16",
       VisionTransformerByImage},
  };
  return kNetworks;
}

namespace {

const NamedNetwork* FindIn(absl::Span<const NamedNetwork> all,
                           absl::string_view name) {
  const auto* found = std::find_if(
      all.begin(), all.end(),
      [&](const NamedNetwork& network) { return network.name == name; });
  return found == all.end() ? nullptr : found;
}

}  // namespace

const NamedNetwork* FindNetwork(absl::string_view name) {
  return FindIn(AllNetworks(), name);
}

const NamedNetwork* FindDynamicNetwork(absl::string_view name) {
  return FindIn(AllDynamicNetworks(), name);
}

}  // namespace stowage::networks
