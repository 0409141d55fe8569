import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSpeech } from '@/lib/services/engines/embedded/speech/speech'
import { KOKORO_VOICES } from '@/lib/services/engines/embedded/speech/voices'
import { createTranscription } from '@/lib/services/engines/embedded/transcription/transcription'
import { to16kHz } from '@/lib/services/media/testing'
import { joined } from '@/lib/services/media/wav'

const DOWNLOAD_MS = 300_000
const SLOW_MACHINE_MS = 120_000
const dataDir = path.resolve('.cache')
const mouth = createSpeech({ dataDir, profile: 'lean' })
const ear = createTranscription({ dataDir })
const open = new AbortController().signal

const said: Float32Array[] = []
const SENTENCES = ['The library closes early.', 'Water boils on the stove.', 'We go home by train.']

beforeAll(async () => {
  for await (const { samples } of mouth.speak({ text: SENTENCES.join(' '), voice: 'af_heart', speed: 1.2 }, open)) {
    said.push(to16kHz(samples))
  }
}, DOWNLOAD_MS)
afterAll(() => Promise.all([mouth.close(), ear.close()]))

const listen = (model: string, audio: Float32Array, language?: string) =>
  ear.transcribe({ model, sound: audio, language }, open)
const hear = async (audio: Float32Array) => (await listen('moonshine-tiny', audio)).text
const wordsOf = (text: string) => text.toLowerCase().match(/[a-z']+/g) ?? []

function wordErrorRate(wanted: string[], heard: string[]): number {
  let row = Array.from({ length: heard.length + 1 }, (_, index) => index)
  for (const [i, word] of wanted.entries()) {
    const next = [i + 1]
    for (const [j, other] of heard.entries()) {
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row.at(-1)! / wanted.length
}

describe('speech', () => {
  test(
    'comes a sentence at a time, and what is said is what is heard',
    async () => {
      expect(said).toHaveLength(SENTENCES.length)
      const heard: string[] = []
      for (const audio of said) heard.push(await hear(audio))
      expect(wordErrorRate(wordsOf(SENTENCES.join(' ')), wordsOf(heard.join(' ')))).toBeLessThanOrEqual(0.15)
    },
    SLOW_MACHINE_MS,
  )

  test(
    'is shorter when it is faster',
    async () => {
      const one = mouth.speak({ text: SENTENCES[0]!, voice: 'bm_george', speed: 2 }, open)
      const [{ samples: fast } = { samples: new Float32Array(0) }] = await Array.fromAsync(one)
      expect(fast.length).toBeGreaterThan(0.3 * 24_000)
      expect(fast.length / 24_000).toBeLessThan(said[0]!.length / 16_000)
      expect(fast.every((sample) => Math.abs(sample) <= 1)).toBe(true)
    },
    SLOW_MACHINE_MS,
  )

  test('of nothing that can be said is silence', async () => {
    expect(await Array.fromAsync(mouth.speak({ text: '*** 🌊 中文', voice: 'af_heart' }, open))).toEqual([])
  })

  test('in an unknown voice or at an absurd speed is refused', async () => {
    const ask = (voice: string, speed: number) => Array.fromAsync(mouth.speak({ text: 'Hi', voice, speed }, open))
    await expect(ask('../af_heart', 1)).rejects.toMatchObject({ reason: 'invalid-request' })
    await expect(ask('af_heart', Number.NaN)).rejects.toMatchObject({ reason: 'invalid-request' })
    await expect(ask('af_heart', 3)).rejects.toMatchObject({ reason: 'invalid-request' })
    expect(KOKORO_VOICES.length).toBeGreaterThanOrEqual(8)
  })

  test(
    'that nobody listens to any more gives its place back',
    async () => {
      for await (const _ of mouth.speak({ text: 'Hi. And on and on.', voice: 'af_heart' }, open)) break
      expect(mouth.state().activeRequests).toBe(0)
    },
    SLOW_MACHINE_MS,
  )
})

describe('what is heard', () => {
  test('in silence and in noise is nothing', async () => {
    const noise = Float32Array.from({ length: 48_000 }, (_, index) => 0.05 * Math.sin(index * index))
    expect([await hear(new Float32Array(48_000)), await hear(noise), await hear(new Float32Array(0))]).toEqual([
      '',
      '',
      '',
    ])
  })

  test('in a click, or in what is no number, breaks nothing', async () => {
    const click = Float32Array.from({ length: 100 }, (_, index) => (index % 2 ? 1 : -1))
    const broken = joined([said[0]!.slice(0, 4_000), Float32Array.of(Number.NaN, 1e9, -1e9), said[0]!.slice(4_000)])
    expect(await hear(click)).toMatch(/^.{0,20}$/)
    expect(await hear(broken)).toContain('library')
  })

  test(
    'in more sound than fits into one piece is all of it',
    async () => {
      const pause = new Float32Array(8_000)
      const round = joined(said.flatMap((audio) => [audio, pause]))
      const long = new Float32Array(30 * 16_000)
      for (let at = 0; at < long.length; at += round.length) {
        long.set(round.subarray(0, Math.min(round.length, long.length - at)), at)
      }
      const rounds = Math.floor(long.length / round.length)
      const text = (await hear(long)).toLowerCase()
      expect(text.split('library').length - 1).toBeGreaterThanOrEqual(rounds)
      expect(text.split('train').length - 1).toBeGreaterThanOrEqual(rounds)
    },
    SLOW_MACHINE_MS,
  )

  test('is not heard by a model that is not there, nor in an hour and more', async () => {
    const audio = new Float32Array(16_000)
    await expect(listen('whisper', audio)).rejects.toMatchObject({ reason: 'offline' })
    await expect(hear(new Float32Array(3_601 * 16_000))).rejects.toMatchObject({ reason: 'invalid-request' })
  })

  test(
    'ends when nobody wants it',
    async () => {
      const leaving = new AbortController()
      const asked = ear.transcribe({ model: 'moonshine-tiny', sound: joined(Array(40).fill(said[0]!)) }, leaving.signal)
      setTimeout(() => leaving.abort(new Error('gone')), 100)
      await expect(asked).rejects.toThrow('gone')
      expect(await hear(said[0]!)).toContain('library')
    },
    SLOW_MACHINE_MS,
  )
})

describe('a model of many languages', () => {
  test(
    'hears what was said and in which language, in more sound than fits into one piece too',
    async () => {
      const audio = joined([new Float32Array(20 * 16_000), ...said])
      const { text, language } = await listen('whisper-tiny', audio)
      expect(wordErrorRate(wordsOf(SENTENCES.join(' ')), wordsOf(text))).toBeLessThanOrEqual(0.15)
      expect(language).toBe('en')
    },
    DOWNLOAD_MS,
  )

  test(
    'takes the language that it is told, and none that nobody speaks',
    async () => {
      expect((await listen('whisper-tiny', said[0]!, 'de')).language).toBe('de')
      expect(await listen('whisper-tiny', said[0]!, 'xx')).toMatchObject({ language: 'en' })
    },
    SLOW_MACHINE_MS,
  )

  test(
    'hears nothing in silence, and its utterances have their times',
    async () => {
      expect(await listen('whisper-tiny', new Float32Array(48_000))).toEqual({ text: '' })
      const audio = joined([said[0]!, new Float32Array(16_000), said[1]!])
      const { segments } = await ear.transcribeSegments({ model: 'whisper-tiny', sound: audio }, open)
      expect(segments.map(({ text }) => wordsOf(text).at(-1))).toEqual(['early', 'stove'])
      expect(segments[1]!.start).toBeGreaterThan(said[0]!.length / 16_000)
    },
    SLOW_MACHINE_MS,
  )
})
