/**
 * Entry of the child process that reads what the files of a speech model say, and has the model listen once, which finds
 * files that do not fit each other. It has no environment and little time. Node runs it as it stands.
 */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { AUDIO_SAMPLE_RATE } from '../task-protocol.ts'
import { loadWhisper, transcribe } from '../transcription/whisper.ts'
import { assertType, reportOnnxFacts } from './inspect.ts'
import { ModelFacts } from './installed-model.ts'

const NETWORKS = ['encoder.onnx', 'decoder.onnx']
const WORK_BYTES = 2_000_000_000
const CACHE_BYTES_PER_VALUE = 4
const TONE_HZ = 440

const [folder = '', quantization = 'unknown'] = process.argv.slice(2)
await reportOnnxFacts({ folder, networks: NETWORKS, workBytes: WORK_BYTES }, factsOf)

async function factsOf(weightBytes: number): Promise<ModelFacts> {
  await assertType(folder, ['whisper'], { about: 'Speech models', advice: 'Choose a Whisper model.' })
  const names = await readdir(folder)
  const model = await loadWhisper(Object.fromEntries(names.map((name) => [name, path.join(folder, name)])))
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
