/** A longer text becomes a file. */
const LONG_PASTE_CHARS = 4_000

type Pasted = { kind: 'files'; files: File[] } | { kind: 'long-text'; text: string } | undefined

/** Decides what a paste brings. Office programs add a picture to their text; the text is meant. */
export function pastedIn(data: Pick<DataTransfer, 'files' | 'getData'>): Pasted {
  const text = data.getData('text/plain')
  const files = [...data.files]
  if (files.length > 0 && text.trim() === '') return { kind: 'files', files }
  return text.length > LONG_PASTE_CHARS ? { kind: 'long-text', text } : undefined
}

export function fileOfPaste(text: string, at: Date): File {
  const pad = (value: number) => String(value).padStart(2, '0')
  return new File([text], `pasted-${pad(at.getHours())}${pad(at.getMinutes())}${pad(at.getSeconds())}.txt`, {
    type: 'text/plain',
  })
}
