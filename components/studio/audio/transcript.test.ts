import { expect, test } from 'vitest'
import { captionsOf, storedTranscript, transcriptFile, transcriptIn } from '@/components/studio/audio/transcript'
import { TranscriptionResponse } from '@/lib/contract/audio.schema'

const REPLY = TranscriptionResponse.parse({
  text: ' Let us begin. Then <go> on. ',
  duration: 4.5,
  timestamps: {
    segment: [
      { text: 'Let us begin.', start: 0.1, end: 2.2 },
      { text: 'Then <go>\n\non.', start: 3_661.5, end: 3_662 },
    ],
  },
})

const textOf = async (format: 'txt' | 'srt' | 'vtt' | 'json') =>
  await transcriptFile(transcriptIn(REPLY), format).text()

test('what the service says is kept, and is the same when it is read again', async () => {
  const transcript = transcriptIn(REPLY)
  expect(transcript).toMatchObject({ text: 'Let us begin. Then <go> on.', seconds: 4.5 })
  expect(storedTranscript(JSON.parse(await textOf('json')))).toEqual(transcript)
  expect(storedTranscript({ text: 7, segments: ['x', { text: 'a', start: 'b' }] })).toEqual({ text: '', segments: [] })
  expect(transcriptIn(null)).toEqual({ text: '' })
})

test('captions are written as players read them', async () => {
  expect(await textOf('srt')).toBe(
    '1\n00:00:00,100 --> 00:00:02,200\nLet us begin.\n\n2\n01:01:01,500 --> 01:01:02,000\nThen <go> on.\n',
  )
  expect(await textOf('vtt')).toBe(
    'WEBVTT\n\n00:00:00.100 --> 00:00:02.200\nLet us begin.\n\n01:01:01.500 --> 01:01:02.000\nThen &lt;go&gt; on.\n',
  )
  expect(await textOf('txt')).toBe('Let us begin. Then <go> on.\n')
})

test('of single words captions are made that can be read; without times there are none', () => {
  const words = Array.from({ length: 30 }, (_, at) => ({ text: `w${at}`, start: at * 0.3, end: at * 0.3 + 0.2 }))
  const captions = captionsOf({ text: '', words })
  expect(captions.map(({ text }) => text.split(' ').length)).toEqual([12, 12, 6])
  expect(captions[0]).toMatchObject({ start: 0, end: words[11]?.end })
  const slow = captionsOf({ text: '', words: [words[0]!, { text: 'late', start: 20, end: 21 }] })
  expect(slow.map(({ text }) => text)).toEqual(['w0', 'late'])
  expect(captionsOf({ text: 'words' })).toEqual([])
})
