import { SaxesParser } from 'saxes'
import { ExtractionError } from './parser-protocol.ts'
import { byteOrderMark } from './text.ts'

const MAX_DEPTH = 256

export type XmlAttributes = ReadonlyMap<string, string>

export type XmlHandlers = {
  open?(name: string, attributes: XmlAttributes): void
  close?(name: string): void
  text?(text: string): void
}

/**
 * Reads XML as it arrives. Only XML's own five entities are known, nothing is loaded, and a document type declaration
 * is refused.
 *
 * @throws ExtractionError `corrupt` or `bomb`; what a handler throws passes through.
 */
export async function readXml(chunks: AsyncIterable<Uint8Array>, handlers: XmlHandlers): Promise<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false })
  let depth = 0
  let isOpen = false
  parser.on('doctype', () => {
    throw new ExtractionError('bomb')
  })
  parser.on('error', (error) => {
    throw new ExtractionError('corrupt', { cause: error })
  })
  parser.on('opentag', (tag) => {
    isOpen = true
    if (++depth > MAX_DEPTH) throw new ExtractionError('bomb')
    handlers.open?.(localName(tag.name), attributesOf(tag.attributes))
  })
  parser.on('closetag', (tag) => {
    depth--
    handlers.close?.(localName(tag.name))
  })
  parser.on('text', (text) => handlers.text?.(text))
  parser.on('cdata', (text) => handlers.text?.(text))

  let decoder: TextDecoder | undefined
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(byteOrderMark(chunk) ?? 'utf-8')
    const text = decoder.decode(chunk, { stream: true })
    // The parser reads a declaration to its end before it tells of it.
    if (!isOpen && text.includes('<!DOCTYPE')) throw new ExtractionError('bomb')
    parser.write(text)
  }
  parser.close()
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

function attributesOf(attributes: Record<string, string>): XmlAttributes {
  const map = new Map<string, string>()
  for (const [name, value] of Object.entries(attributes)) {
    const local = localName(name)
    if (local !== name) {
      if (name.startsWith('xmlns:')) continue
      map.set(name, value)
      // `r:id` is a relation, `id` a number of its own: the plain name wins.
      if (attributes[local] !== undefined) continue
    }
    map.set(local, value)
  }
  return map
}
