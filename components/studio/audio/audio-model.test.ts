import { expect, test } from 'vitest'
import { audioModel, speechModel, transcriptionModel } from '@/components/studio/audio/audio-model'
import { chosenOf, modelsIn } from '@/components/studio/models'
import { videoModel } from '@/components/studio/video/video-model'
import { perMillion, perUnit } from '@/lib/contract/money'

const record = (id: string, spec: object = {}) => ({ id, model_spec: { name: id.toUpperCase(), ...spec } })
const reply = (...data: unknown[]) => ({ object: 'list', data })

test('the service’s own choice comes first, what does not serve comes last, and nonsense is left out', () => {
  const models = modelsIn(
    reply(
      record('away', { offline: true, traits: ['default'] }),
      record('plain'),
      record('usual', { traits: ['default'] }),
      null,
      { model_spec: {} },
    ),
    transcriptionModel,
  )
  expect(models.map(({ id, isOffline }) => [id, isOffline])).toEqual([
    ['usual', false],
    ['plain', false],
    ['away', true],
  ])
  expect(chosenOf(models, 'plain')?.id).toBe('plain')
  expect(chosenOf(models, 'gone')?.id).toBe('usual')
  expect(modelsIn('nonsense', transcriptionModel)).toEqual([])
})

test('a voice model has its own format first, and an exact price', () => {
  const spec = {
    ...{ voices: ['b', 'a', 7], default_format: 'wav', supported_formats: ['mp3', 'wav'], privacy: 'private' },
    pricing: { input: { usd: 15 } },
  }
  expect(modelsIn(reply(record('v', spec)), speechModel)[0]).toEqual({
    ...{ id: 'v', name: 'V', description: '', privacy: 'private', isOffline: false, isBeta: false },
    ...{ voices: ['b', 'a'], formats: ['wav', 'mp3'], price: perMillion(15) },
  })
  expect(modelsIn(reply(record('v')), speechModel)[0]?.price).toBeUndefined()
  const hears = { pricing: { per_audio_second: { usd: 0.0001 } } }
  expect(modelsIn(reply(record('h', hears)), transcriptionModel)[0]?.price).toBe(perUnit(0.0001))
})

test('a sound model offers what its record says, by the bounds that it names', () => {
  const read = (spec: object) => modelsIn(reply(record('m', spec)), audioModel)[0]
  expect(read({})).toMatchObject({
    prompt: { min: 10, max: 10_000 },
    voices: [],
    canLoop: false,
    isByCharacter: false,
  })
  expect(read({})?.lengths).toBeUndefined()
  expect(read({ min_duration: 5, max_duration: 60, default_duration: 30 })?.lengths).toEqual({
    min: 5,
    max: 60,
    usual: 30,
  })
  expect(read({ duration_options: [10, 30] })?.lengths).toEqual({ options: [10, 30], usual: 10 })
  expect(read({ default_duration: 20 })?.lengths).toEqual({ min: 1, max: 20, usual: 20 })
  expect(read({ supports_lyrics: true, lyrics_required: true, lyrics_character_limit: 50 })?.lyrics).toEqual({
    isRequired: true,
    max: 50,
  })
  expect(read({ supports_speed: true, max_speed: 2 })?.speed).toEqual({ min: 0.25, max: 2, usual: 1 })
  expect(read({ voices: ['Ada', 'Ben'], default_voice: 'Ben' })?.voice).toBe('Ben')
  expect(read({ pricing: { per_thousand_characters: { usd: 0.001 } } })?.isByCharacter).toBe(true)
})

test('a film model says what it begins with and what can be chosen', () => {
  const read = (constraints: object | undefined) => modelsIn(reply(record('f', { constraints })), videoModel)[0]
  const constraints = {
    durations: ['5s'],
    aspect_ratios: ['16:9'],
    resolutions: ['480p'],
    audio: true,
    audio_configurable: true,
  }
  expect(read({ model_type: 'image-to-video', prompt_character_limit: 400, ...constraints })).toMatchObject({
    ...{ from: 'picture', durations: ['5s'], aspectRatios: ['16:9'], resolutions: ['480p'] },
    ...{ hasSound: true, canChooseAudio: true, maxPromptChars: 400 },
  })
  expect(read({ model_type: 'text-to-video' })?.from).toBe('text')
  expect(read(undefined)).toMatchObject({ from: 'video', durations: [], maxPromptChars: 2_500 })
})
