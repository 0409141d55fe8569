/** Chooses the ONNX files of a Whisper repository. Child processes import this file, so it uses no path aliases. */
import { EngineError } from '../../engine.ts'
import { listed, type RepositoryFile, type Wanted } from './gguf-files.ts'
import type { SpeechFile } from './installed-model.ts'

export type SpeechVariant = { quantization: string; files: [SpeechFile, RepositoryFile][] }

/** Endings of encoder and decoder by quantization, the preferred first. Half precision needs inputs of its own. */
const ENDINGS = { INT8: '_quantized', UINT8: '_uint8', Q4: '_q4', FP32: '' }

/** Where a repository has each file, in the layout of transformers.js. Source: https://huggingface.co/docs/transformers.js */
const placesOf = (ending: string): Record<SpeechFile, string> => ({
  'encoder.onnx': `onnx/encoder_model${ending}.onnx`,
  'decoder.onnx': `onnx/decoder_model_merged${ending}.onnx`,
  'config.json': 'config.json',
  'generation.json': 'generation_config.json',
  'tokenizer.json': 'tokenizer.json',
  'tokenizer_config.json': 'tokenizer_config.json',
})

/** Tells whether a repository has a speech model in this form, complete or not. */
export const hasSpeechModel = (files: RepositoryFile[]): boolean =>
  files.some(({ path }) => /^onnx\/decoder_model(_merged)?(_\w+)?\.onnx$/.test(path))

/**
 * Chooses one quantization of a repository's speech model, with the files that it shares with the others.
 *
 * @throws EngineError `invalid-request`, naming what there is instead.
 */
export function chooseSpeechVariant(files: RepositoryFile[], { repository, quantization }: Wanted): SpeechVariant {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const variants = Object.entries(ENDINGS).map(([name, ending]) => {
    const places = Object.entries(placesOf(ending)) as [SpeechFile, string][]
    // Weights in a second file are those of models larger than two gigabytes.
    const missing = places.filter(([, place]) => !byPath.has(place) || byPath.has(`${place}_data`))
    return { name, places, missing: missing.map(([, place]) => place) }
  })
  const complete = variants.filter(({ missing }) => missing.length === 0)
  const found = complete.find(({ name }) => quantization === undefined || name === quantization)
  if (found) {
    return { quantization: found.name, files: found.places.map(([name, place]) => [name, byPath.get(place)!]) }
  }
  if (quantization !== undefined && complete.length > 0) {
    const names = complete.map(({ name }) => name)
    throw new EngineError(
      'invalid-request',
      `${repository} has no quantization ${quantization}. It has: ${listed(names)}.`,
    )
  }
  const nearest = variants.toSorted((a, b) => a.missing.length - b.missing.length)[0]!
  throw new EngineError(
    'invalid-request',
    `${repository} has no speech model that this version can run: ${listed(nearest.missing)} is missing. Choose another repository of the same model.`,
  )
}
