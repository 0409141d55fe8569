import { expect, test } from 'vitest'
import {
  type AudioModel,
  audioBody,
  audioModel,
  audioProblem,
  audioQuoteBody,
  audioSettings,
  speechBody,
  transcriptionForm,
} from '@/components/studio/audio/audio-model'
import { modelsIn } from '@/components/studio/models'
import {
  type VideoModel,
  videoBody,
  videoModel,
  videoProblem,
  videoQuoteBody,
  videoSettings,
} from '@/components/studio/video/video-model'
import { AudioQueueRequest, AudioQuoteRequest, SpeechRequest, TranscriptionFields } from '@/lib/contract/audio.schema'
import { VideoQueueRequest, VideoQuoteRequest } from '@/lib/contract/video.schema'

/** What is sent is what the service reads: each body is parsed by its own schema. */

const read = <M>(spec: object, reader: (named: never, spec: never) => M): M =>
  modelsIn({ data: [{ id: 'm', model_spec: spec }] }, reader as never)[0] as M
const audio = (spec: object): AudioModel => read(spec, audioModel as never)
const video = (constraints: object): VideoModel => read({ constraints }, videoModel as never)

const SONG = {
  ...{ supports_lyrics: true, supports_lyrics_optimizer: true, lyrics_character_limit: 20 },
  ...{ supports_force_instrumental: true, supports_language_code: true },
  ...{ min_duration: 10, max_duration: 60, default_duration: 30 },
}

test('speech is asked for as a stream where it is heard while it comes, or is long', () => {
  const asked = (settings: object, prompt = 'Hello.') =>
    speechBody({ modelId: 'm', prompt, settings: settings as Record<string, string> })
  const wav = SpeechRequest.parse(asked({ format: 'wav', voice: 'Ada', speed: 1.5, isLive: true }))
  expect(wav).toMatchObject({ input: 'Hello.', voice: 'Ada', speed: 1.5, response_format: 'wav', streaming: true })
  expect(SpeechRequest.parse(asked({ format: 'flac' })).streaming).toBe(false)
  expect(SpeechRequest.parse(asked({ format: 'flac' }, 'word '.repeat(200))).streaming).toBe(true)
  expect(asked({ format: 'mp3', speed: 1 }).speed).toBeUndefined()
})

test('a recording goes under a name that says what it is', () => {
  const asked = { modelId: 'm', prompt: '', settings: { hasTimes: true, language: 'de' } }
  const form = transcriptionForm(asked, new Blob(['x'], { type: 'audio/mpeg' }))
  const { file, ...fields } = Object.fromEntries(form)
  expect((file as File).name).toBe('recording.mp3')
  expect(TranscriptionFields.parse(fields)).toMatchObject({
    model: 'm',
    timestamps: true,
    language: 'de',
    response_format: 'json',
  })
  const plain = transcriptionForm({ ...asked, settings: {} }, new Blob(['x'], { type: 'video/webm' }))
  expect([(plain.get('file') as File).name, plain.get('timestamps'), plain.get('language')]).toEqual([
    'recording.webm',
    'false',
    null,
  ])
})

test('a song is asked for with what was chosen and what its model takes, and nothing else', () => {
  const model = audio(SONG)
  const chosen = {
    lyrics: 'the sea',
    seconds: 20,
    isInstrumental: true,
    isLoop: true,
    voice: 'Ada',
    speed: 2,
    language: 'en',
  }
  const settings = audioSettings(model, chosen)
  expect(settings).toEqual({ lyrics: 'the sea', seconds: 20, isInstrumental: true, language: 'en' })
  const body = { modelId: 'm', prompt: 'a slow tide, strings', settings }
  expect(AudioQueueRequest.parse(audioBody(body))).toEqual({
    ...{ model: 'm', prompt: 'a slow tide, strings', lyrics_prompt: 'the sea', duration_seconds: 20 },
    ...{ force_instrumental: true, language_code: 'en' },
  })
  expect(AudioQuoteRequest.parse(audioQuoteBody(model, body))).toEqual({ model: 'm', duration_seconds: 20 })
  expect(audioSettings(model, { writesLyrics: true, lyrics: 'x', seconds: 99 })).toEqual({
    writesLyrics: true,
    seconds: 60,
  })
})

test('a price by characters is asked for with their number, and not for none', () => {
  const model = audio({ voices: ['Ada'], supports_speed: true, pricing: { per_thousand_characters: { usd: 1 } } })
  const settings = audioSettings(model, {})
  expect(audioQuoteBody(model, { prompt: '', settings })).toBeUndefined()
  expect(AudioQuoteRequest.parse(audioQuoteBody(model, { prompt: 'abc', settings }))).toEqual({
    model: 'm',
    character_count: 3,
  })
  expect(AudioQueueRequest.parse(audioBody({ modelId: 'm', prompt: 'abc', settings }))).toEqual({
    ...{ model: 'm', prompt: 'abc', voice: 'Ada', speed: 1 },
  })
})

test.each([
  ['nothing written', '', {}, 'Describe the sound.'],
  ['too little', 'tide', {}, '10 characters'],
  ['too much', 'x'.repeat(10_001), {}, '10,000'],
  ['too long lyrics', 'a slow tide', { lyrics: 'x'.repeat(21) }, 'lyrics'],
])('a sound with %s is not sent', (_, prompt, settings, words) => {
  expect(audioProblem(audio(SONG), { prompt, settings })).toContain(words)
})

test('lyrics that a model needs are asked for, unless it writes them', () => {
  const strict = audio({ ...SONG, lyrics_required: true })
  const prompt = 'a slow tide, strings'
  expect(audioProblem(strict, { prompt, settings: {} })).toContain('lyrics')
  expect(audioProblem(strict, { prompt, settings: { writesLyrics: true } })).toBeUndefined()
  expect(audioProblem({ ...strict, isOffline: true }, { prompt, settings: {} })).toContain('currently unavailable')
})

const VIDEO = {
  ...{ model_type: 'image-to-video', durations: ['Auto', '5s', '10s'], aspect_ratios: ['16:9', '9:16'] },
  ...{ resolutions: ['480p', '720p'], audio: true, audio_configurable: true, prompt_character_limit: 40 },
}

test('a film is asked for with the choices of its model, and is quoted by the same', () => {
  const settings = videoSettings(video(VIDEO), {
    duration: '5s',
    aspectRatio: '21:9',
    hasSound: false,
    negativePrompt: '',
  })
  const choices = { duration: '5s', aspect_ratio: '16:9', resolution: '480p', audio: false }
  expect(VideoQuoteRequest.parse(videoQuoteBody('m', settings))).toEqual({ model: 'm', ...choices })
  const body = videoBody({ modelId: 'm', prompt: 'waves', settings }, [
    'data:image/png;base64,AA==',
    'data:image/png;base64,AB==',
  ])
  expect(VideoQueueRequest.parse(body)).toEqual({
    ...{ model: 'm', prompt: 'waves', ...choices },
    ...{ image_url: 'data:image/png;base64,AA==', end_image_url: 'data:image/png;base64,AB==' },
  })
})

test('a model that offers no choice is sent none', () => {
  const settings = videoSettings(video({ model_type: 'text-to-video' }), {
    duration: '5s',
    hasSound: true,
    resolution: '480p',
  })
  expect(VideoQueueRequest.parse(videoBody({ modelId: 'm', prompt: 'waves', settings }, []))).toEqual({
    ...{ model: 'm', prompt: 'waves', duration: 'Auto' },
  })
})

test('a film without its picture or words, or with too many, is not sent', () => {
  const model = video(VIDEO)
  const [image] = [{ id: 'p', hash: 'h', name: 'p', mediaType: 'image/png', size: 1 }]
  const problem = (prompt: string, inputs = [image!]) => videoProblem(model, { prompt, inputs, settings: {} })
  expect(problem('waves')).toBeUndefined()
  expect(problem('waves', [])).toContain('start image')
  expect(problem(' ')).toContain('Enter a script.')
  expect(problem('x'.repeat(41))).toContain('40 characters')
})
