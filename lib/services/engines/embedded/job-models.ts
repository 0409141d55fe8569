import 'server-only'
import { KOKORO_VOICES } from '@/lib/services/engines/embedded/weights/table'
import { formatsMadeHere } from '@/lib/services/media/speech-formats'

const COMMON = {
  engine: 'embedded',
  tier: 'XS',
  access: 'everyone',
  privacy: 'private',
  traits: [] as string[],
} as const
const DEFAULT_VOICE = 'af_heart'
/** About fifty minutes of sound: what the lean profile says in the life of a job on a slow machine. */
const MAX_SPEECH_CHARACTERS = 50_000
const MAX_WORDS = 400

export type EmbeddedJobEntry = ReturnType<typeof embeddedJobModels>[number]

/** Models whose work outlives a request. Each says what it is; a film only where its encoder is installed. */
export function embeddedJobModels() {
  return formatsMadeHere().includes('mp3') ? [LONG_SPEECH, SLIDESHOW] : [LONG_SPEECH]
}

const LONG_SPEECH = {
  ...COMMON,
  type: 'music' as const,
  id: 'kokoro-82m-long',
  name: 'Kokoro 82M, long texts',
  description:
    'Reads English texts of up to 50,000 characters aloud inside this server, without a network. Speech only: it makes ' +
    'no music.',
  upstreamModel: 'kokoro-82m',
  created: 1_735_084_800,
  voices: [DEFAULT_VOICE, ...KOKORO_VOICES.filter((voice) => voice !== DEFAULT_VOICE)],
  default_voice: DEFAULT_VOICE,
  supports_speed: true,
  default_speed: 1,
  min_speed: 0.5,
  max_speed: 2,
  min_prompt_length: 1,
  prompt_character_limit: MAX_SPEECH_CHARACTERS,
  pricing: { per_thousand_characters: { usd: 0.001 } },
}

const SLIDESHOW = {
  ...COMMON,
  type: 'video' as const,
  id: 'picture-film',
  name: 'Picture film',
  description:
    'Makes an MP4 of one or two pictures of yours, with a slow movement towards them, your text read aloud in English ' +
    'and as captions. It generates nothing: what you see is what you sent.',
  upstreamModel: 'picture-film',
  created: 1_784_332_800,
  constraints: {
    model_type: 'image-to-video' as const,
    aspect_ratios: ['16:9', '9:16', '1:1', '4:3', '3:4'],
    resolutions: ['480p', '720p'],
    durations: ['Auto', '5s', '10s', '15s', '20s', '25s', '30s'],
    audio: true,
    audio_configurable: true,
    prompt_character_limit: MAX_WORDS,
  },
  price: { perSecond: 0.002 },
}
