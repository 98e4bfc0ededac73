// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/recorded_models.h"

#include <vector>

namespace stowage::harness {

const std::vector<RecordedModel>& RecordedModels() {
  static const auto* const models = new std::vector<RecordedModel>{
      {"ad01_f32", 1.9e-05, false},
      {"ad01_i8", 1, false},
      {"blazeface_front_f32", 5.3e-05, true},
      {"deeplabv3_257_mv_gpu_f32", 1.6e-05, true},
      {"deeplabv3_mnv2_dm05_pascal_u8", 0, true},
      {"dtln_noise_suppression_i8", 56, false},
      {"face_detection_short_range_f16w", 3.8e-05, true},
      {"hand_recrop_f16w", 4.6e-05, true},
      {"hello_world_f32", 1e-4, false},
      {"hello_world_i8", 0, false},
      {"inception_v3_w025_299_f32_synthetic", 1.2e-07, true},
      {"keyword_scrambled", 0, false},
      {"keyword_scrambled_i8", 0, false},
      {"kws_ref_f32", 1e-4, false},
      {"kws_ref_i8", 0, false},
      {"mcunet_vww_i8", 1e-4, false},
      {"micro_speech_i8", 0, false},
      {"mnist_lstm_f32", 4.8e-07, false},
      {"mnist_lstm_i8", 0, false},
      {"mobilenet_v1_0.25_128_f32", 5.4e-07, true},
      {"mobilenet_v1_0.25_128_u8", 0, false},
      {"mobilenet_v1_1.0_224_f32_derived", 1.5e-06, true},
      {"mobilenet_v2_1.0_224_f32_derived", 4.2e-07, true},
      {"mobilenet_v2_1.0_224_u8", 3, true},
      {"movie_review_text", 1e-4, false},
      {"mww_okay_nabu_v1_inception", 0, false},
      {"person_detect_i8", 0, false},
      {"posenet_mv1_100_257_iq", 1e-4, true},
      {"resnet8_f32", 1.3e-07, false},
      {"resnet8_i8", 1, false},
      {"selfie_segmentation_f16w", 1e-4, true},
      {"split_concat_u8", 0, false},
      {"ssd_mobilenet_v1_coco_u8_postprocess", 1e-4, true},
      {"str_ww_ref_i8", 0, false},
      {"vww_96_f32", 6e-08, false},
      {"vww_96_i8", 0, false},
  };
  return *models;
}

}  // namespace stowage::harness
