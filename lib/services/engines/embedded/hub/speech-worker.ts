/**
 * Entry of the child process that reads what the files of a speech model say, and has the model listen once, which finds
 * files that do not fit each other. It has no environment and little time. Node runs it as it stands.
 */
import { readFile, stat } from 'node:fs/promises'
import { AUDIO_SAMPLE_RATE } from '../task-protocol.ts'
import { loadWhisper, transcribe } from '../transcription/whisper.ts'
import { reportFacts, Unusable } from './inspect.ts'
import { ModelFacts, speechPathsOf } from './installed-model.ts'

/** Of the runtime and its computations, beside the weights. */
const WORK_BYTES = 2_000_000_000
/** The runtime lays weights out anew while it loads them. */
const COPIES_OF_WEIGHTS = 2
const CACHE_BYTES_PER_VALUE = 4
const TONE_HZ = 440
const MAX_TYPE_CHARS = 60

const [folder = '', quantization = 'unknown'] = process.argv.slice(2)
const paths = speechPathsOf(folder)
const sizes = await Promise.all(['encoder.onnx', 'decoder.onnx'].map(async (name) => (await stat(paths[name]!)).size))
const weightBytes = sizes.reduce((sum, size) => sum + size, 0)
reportFacts(WORK_BYTES + COPIES_OF_WEIGHTS * weightBytes, factsOf)

async function factsOf(): Promise<ModelFacts> {
  const { model_type: type } = JSON.parse(await readFile(paths['config.json']!, 'utf8')) as { model_type?: unknown }
  if (type !== 'whisper') {
    throw new Unusable(
      `Speech models of the type ${String(type).slice(0, MAX_TYPE_CHARS)} cannot be run by this version. Choose a Whisper model.`,
    )
  }
  const model = await loadWhisper(paths)
  const samples = Float32Array.from({ length: AUDIO_SAMPLE_RATE }, (_, index) =>
    Math.sin((2 * Math.PI * TONE_HZ * index) / AUDIO_SAMPLE_RATE),
  )
  await transcribe(model, { samples }, new AbortController().signal)
  const { _name_or_path: origin, decoder_layers: layers, d_model: width, max_target_positions } = model.config
  return ModelFacts.parse({
    name: nameOf(origin),
    architecture: 'whisper',
    quantization,
    contextTokens: max_target_positions,
    // Keys and values of each layer.
    cacheBytesPerToken: layers * width * 2 * CACHE_BYTES_PER_VALUE,
    weightBytes,
    callsTools: false,
    thinks: false,
    transcription: { isMultilingual: Object.keys(model.marks.lang_to_id).length > 1 },
  })
}

/** Makes a name of the repository that the model was made from: `openai/whisper-base` is Whisper Base. */
function nameOf(origin: string | undefined): string | undefined {
  const words = origin
    ?.split('/')
    .at(-1)
    ?.split(/[-_ ]+/)
  return words?.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}
