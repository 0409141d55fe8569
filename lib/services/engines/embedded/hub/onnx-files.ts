/** Chooses the ONNX files of a repository. Child processes import this file, so it uses no path aliases. */
import { EngineError } from '../../engine.ts'
import { listed, type RepositoryFile, type Wanted } from './gguf-files.ts'

/** `speech` is Whisper; `vision` chats about images. */
export type OnnxKind = 'speech' | 'vision'

/** Files with the names that they are installed under. */
export type OnnxVariant = { quantization: string; files: [string, RepositoryFile][] }

/** Endings of networks by quantization, the preferred first. Half precision needs inputs of its own. */
const ENDINGS = { INT8: '_quantized', UINT8: '_uint8', Q4: '_q4', FP32: '' }

type Layout = {
  /** In a sentence. */
  about: string
  isThere: RegExp
  networks: Record<string, string>
  others: Record<string, string>
  /** Taken along where they are there. */
  optional: string[]
}

const sameName = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]))

/** Where a repository has each file, in the layout of transformers.js. Source: https://huggingface.co/docs/transformers.js */
const LAYOUTS: Record<OnnxKind, Layout> = {
  // The other one has a decoder, too.
  vision: {
    about: 'model for images',
    isThere: /^onnx\/vision_encoder(_\w+)?\.onnx$/,
    networks: {
      // The first one is what the record calls the model.
      'decoder_model_merged.onnx': 'decoder_model_merged',
      'vision_encoder.onnx': 'vision_encoder',
      'embed_tokens.onnx': 'embed_tokens',
    },
    others: sameName(
      'config.json',
      'preprocessor_config.json',
      'processor_config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ),
    optional: ['generation_config.json', 'chat_template.json', 'chat_template.jinja'],
  },
  speech: {
    about: 'speech model',
    isThere: /^onnx\/decoder_model(_merged)?(_\w+)?\.onnx$/,
    networks: { 'encoder.onnx': 'encoder_model', 'decoder.onnx': 'decoder_model_merged' },
    others: {
      'config.json': 'config.json',
      'generation.json': 'generation_config.json',
      ...sameName('tokenizer.json', 'tokenizer_config.json'),
    },
    optional: [],
  },
}

/** Tells what kind of model in this form a repository has, complete or not. */
export const onnxKindOf = (files: RepositoryFile[]): OnnxKind | undefined =>
  (Object.keys(LAYOUTS) as OnnxKind[]).find((kind) => files.some(({ path }) => LAYOUTS[kind].isThere.test(path)))

/**
 * Chooses one quantization of a repository's model, with the files that it shares with the others.
 *
 * @throws EngineError `invalid-request`, naming what there is instead.
 */
export function chooseOnnxVariant(
  kind: OnnxKind,
  files: RepositoryFile[],
  { repository, quantization }: Wanted,
): OnnxVariant {
  const { about, networks, others, optional } = LAYOUTS[kind]
  const byPath = new Map(files.map((file) => [file.path, file]))
  const variants = Object.entries(ENDINGS).map(([name, ending]) => {
    const parts = Object.entries(networks).map(
      ([installed, place]) => [installed, `onnx/${place}${ending}.onnx`] as const,
    )
    const places = [...parts, ...Object.entries(others)]
    // Weights in a second file are those of models larger than two gigabytes.
    const missing = places.filter(([, place]) => !byPath.has(place) || byPath.has(`${place}_data`))
    return { name, places, missing: missing.map(([, place]) => place) }
  })
  const complete = variants.filter(({ missing }) => missing.length === 0)
  const found = complete.find(({ name }) => quantization === undefined || name === quantization)
  if (found) {
    const taken = [
      ...found.places,
      ...optional.filter((place) => byPath.has(place)).map((name) => [name, name] as const),
    ]
    return { quantization: found.name, files: taken.map(([name, place]) => [name, byPath.get(place)!]) }
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
    `${repository} has no ${about} that this version can run: ${listed(nearest.missing)} is missing. Choose another repository of the same model.`,
  )
}
