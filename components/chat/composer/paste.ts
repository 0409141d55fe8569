import { LONG_PASTE_CHARS } from '@/lib/browser/files/limits'

/** What a paste brings: files, a text that is long enough to be one, or nothing that is not simply written. */
export type Pasted = { kind: 'files'; files: File[] } | { kind: 'long-text'; text: string } | undefined

/** What to do with a paste. Where an office program gives its words a picture along, the words are meant. */
export function pastedIn(data: Pick<DataTransfer, 'files' | 'getData'>): Pasted {
  const text = data.getData('text/plain')
  const files = [...data.files]
  if (files.length > 0 && text.trim() === '') return { kind: 'files', files }
  return text.length > LONG_PASTE_CHARS ? { kind: 'long-text', text } : undefined
}

/** A long text as a file. Its name says when it was pasted, by this device's clock. */
export function fileOfPaste(text: string, at: Date): File {
  const pad = (value: number) => String(value).padStart(2, '0')
  return new File([text], `pasted-${pad(at.getHours())}${pad(at.getMinutes())}${pad(at.getSeconds())}.txt`, {
    type: 'text/plain',
  })
}
