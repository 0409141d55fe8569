export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const
export type SpeechFormat = (typeof SPEECH_FORMATS)[number]

export const SPEECH_TYPES: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** A stretch of text; `start` and `end` in seconds. */
export type Cue = { text: string; start: number; end: number }

export const toSrt = (cues: readonly Cue[]): string =>
  cues
    .map(
      ({ text, start, end }, index) => `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${oneLine(text)}\n`,
    )
    .join('\n')

export const toVtt = (cues: readonly Cue[]): string =>
  [
    'WEBVTT\n',
    ...cues.map(({ text, start, end }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${escaped(oneLine(text))}\n`),
  ].join('\n')

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().replaceAll('-->', '→')
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function clock(seconds: number, mark: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1_000)
  const part = (size: number, of: number, digits: number) =>
    String(Math.floor(milliseconds / size) % of).padStart(digits, '0')
  return `${part(3_600_000, 1_000, 2)}:${part(60_000, 60, 2)}:${part(1_000, 60, 2)}${mark}${part(1, 1_000, 3)}`
}
