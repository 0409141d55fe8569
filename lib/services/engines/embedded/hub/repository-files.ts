/**
 * Chooses the files of a repository: those of GGUF, then those of ONNX. Child processes import this file, so it uses no
 * path aliases.
 */
import { EngineError } from '../../engine.ts'

export type RepositoryFile = {
  path: string
  sizeBytes: number
  /** SHA-256 in hex, for files in large file storage. */
  sha256?: string
  /** Hash of git's object, for other files. */
  gitSha1?: string
}

/** The parts of one model, in order, and the name that they share. */
export type Variant = { quantization: string; name: string; files: RepositoryFile[] }

const MAX_LISTED = 12

/**
 * Preferred when none is named: the usual compromise first, then its neighbours, better before smaller. What is below
 * three bits comes last.
 */
const PREFERENCE = [
  'Q4_K_M',
  'Q4_K_XL',
  'Q4_K_S',
  'Q5_K_M',
  'Q4_K',
  'IQ4_XS',
  'IQ4_NL',
  'Q4_0',
  'Q4_1',
  'Q5_K_S',
  'Q5_0',
  'Q5_1',
  'Q6_K',
  'Q8_0',
  'MXFP4',
  'MXFP4_MOE',
  'Q3_K_L',
  'Q3_K_M',
  'IQ3_M',
  'Q3_K_S',
  'BF16',
  'F16',
  'F32',
]

const QUANTIZATION =
  /(?:^|[-._/])((?:UD-)?(?:I?Q[1-8](?:_(?:[01]|K|NL|XXS|XS|S|M|L|XL))*|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|F16|FP16|F32))(?=[-._/]|$)/gi
const SPLIT = /-(\d{5})-of-(\d{5})\.gguf$/i
/** Parts of multimodal models, measurements and drafts, which are no models of their own. */
const NO_MODEL = /(^|\/)(mmproj|imatrix)|[-._](mmproj|imatrix|vocab|draft)[-._]/i

export function quantizationOf(filePath: string): string | undefined {
  const found = [...filePath.replace(SPLIT, '.gguf').matchAll(QUANTIZATION)].at(-1)?.[1]?.toUpperCase()
  return found?.replace(/^UD-/, '').replace(/^FP16$/, 'F16')
}

export const splitOf = (filePath: string): { part: number; parts: number; base: string } | undefined => {
  const found = SPLIT.exec(filePath)
  return found ? { part: Number(found[1]), parts: Number(found[2]), base: filePath.slice(0, found.index) } : undefined
}

/** Lists the names of all parts of a split file, or the file's own name. */
export function partNames(filePath: string): string[] {
  const split = splitOf(filePath)
  if (!split) return [filePath]
  const digits = (count: number) => String(count).padStart(5, '0')
  return Array.from(
    { length: split.parts },
    (_, index) => `${split.base}-${digits(index + 1)}-of-${digits(split.parts)}.gguf`,
  )
}

/** Groups a repository's GGUF files into models. Split ones with missing parts are left out. */
function variantsOf(files: RepositoryFile[]): Variant[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const variants: Variant[] = []
  for (const file of files) {
    if (!/\.gguf$/i.test(file.path) || NO_MODEL.test(file.path)) continue
    if ((splitOf(file.path)?.part ?? 1) !== 1) continue
    const parts = partNames(file.path).map((name) => byPath.get(name))
    const found = parts.filter((part) => part !== undefined)
    if (found.length !== parts.length) continue
    const base = (splitOf(file.path)?.base ?? file.path.replace(/\.gguf$/i, '')).split('/').at(-1)!
    variants.push({ quantization: quantizationOf(file.path) ?? '', name: base, files: found })
  }
  return variants
}

const PROJECTOR = /(^|\/|[-._])mmproj[-._][^/]*\.gguf$/i
/** Small beside the model, and the half precision is what it was made in. */
const PROJECTOR_PREFERENCE = ['F16', 'BF16', 'Q8_0', 'F32']

/** Chooses the file that reads images for a repository's model. */
export function chooseProjector(files: RepositoryFile[]): RepositoryFile | undefined {
  const rank = ({ path }: RepositoryFile) => {
    const at = PROJECTOR_PREFERENCE.indexOf(quantizationOf(path) ?? '')
    return at < 0 ? PROJECTOR_PREFERENCE.length : at
  }
  const found = files.filter(({ path }) => PROJECTOR.test(path) && !splitOf(path))
  return found.toSorted((a, b) => rank(a) - rank(b) || a.path.length - b.path.length)[0]
}

type Wanted = { repository: string; quantization?: string; file?: string }

/**
 * Chooses one model of a repository.
 *
 * @throws EngineError `invalid-request`, naming what there is instead.
 */
export function chooseVariant(files: RepositoryFile[], { repository, quantization, file }: Wanted): Variant {
  const variants = variantsOf(files)
  if (variants.length === 0) {
    const names = files.filter(({ path }) => !path.startsWith('.')).map(({ path }) => path)
    throw new EngineError(
      'invalid-request',
      `${repository} has no GGUF file, and no model for speech or images in ONNX files. It has: ${listed(names)}. Look for a repository of the same model whose name ends in -GGUF.`,
    )
  }
  if (file !== undefined) {
    const found = variants.find((variant) => variant.files.some(({ path }) => path === file))
    if (found) return found
    const names = variants.map((variant) => variant.files[0]!.path)
    throw new EngineError('invalid-request', `${repository} has no file ${file}. It has: ${listed(names)}.`)
  }
  if (quantization === undefined) return preferred(variants)
  const wanted = quantization.replace(/^UD-/, '')
  // Some repositories have a model whole and split.
  const found = variants
    .filter((variant) => variant.quantization === wanted)
    .toSorted((a, b) => a.files.length - b.files.length)[0]
  if (found) return found
  const names = [...new Set(variants.map((variant) => variant.quantization || variant.name))]
  throw new EngineError(
    'invalid-request',
    `${repository} has no quantization ${quantization}. It has: ${listed(names)}.`,
  )
}

function preferred(variants: Variant[]): Variant {
  const rank = ({ quantization }: Variant) => {
    const at = PREFERENCE.indexOf(quantization)
    return at < 0 ? PREFERENCE.length : at
  }
  const size = (variant: Variant) => variant.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return variants.toSorted((a, b) => rank(a) - rank(b) || size(a) - size(b))[0]!
}

/** Lists names for a sentence, the first of many. */
function listed(names: string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ')
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown || 'nothing'
}

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
