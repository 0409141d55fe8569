import type { Archive } from './archive.ts'
import { DocumentBlocks, type Numbering } from './document-blocks.ts'
import { ExtractionError } from './parser-protocol.ts'
import { markdownLink, SinkFull, TextSink } from './text.ts'
import { readXml, type XmlAttributes, type XmlHandlers } from './xml.ts'

const MIMETYPE = /^application\/vnd\.oasis\.opendocument\.text(?:-template|-master)?\s*$/
const CONTENT = 'content.xml'
const STYLES = 'styles.xml'
const MANIFEST = 'META-INF/manifest.xml'

const SKIPPED = new Set(
  `tracked-changes annotation script scripts forms desc note-citation hidden-text hidden-paragraph`.split(/\s+/),
)
const MAX_BLANKS = 100
const MAX_MARGIN_CHARS = 5_000

type Styles = { hidden: Set<string>; lists: Map<string, Map<number, boolean>> }

export async function isOdt(archive: Archive): Promise<boolean> {
  if (!archive.has('mimetype') || !archive.has(CONTENT)) return false
  for await (const chunk of archive.read('mimetype')) return MIMETYPE.test(Buffer.from(chunk.slice(0, 100)).toString())
  return false
}

export async function readOdt(archive: Archive, sink: TextSink): Promise<void> {
  await refuseEncrypted(archive)
  const styles: Styles = { hidden: new Set(), lists: new Map() }
  const margins = archive.has(STYLES) ? await readMargins(archive, styles) : { header: '', footer: '' }
  sink.block(margins.header)
  const reader = new OdtReader(sink, styles)
  await readXml(archive.read(CONTENT), withStyles(styles, within('body', reader.handlers)))
  reader.end()
  sink.block(margins.footer)
}

async function refuseEncrypted(archive: Archive): Promise<void> {
  if (!archive.has(MANIFEST)) return
  await readXml(archive.read(MANIFEST), {
    open(name) {
      if (name === 'encryption-data') throw new ExtractionError('encrypted')
    },
  })
}

async function readMargins(archive: Archive, styles: Styles): Promise<{ header: string; footer: string }> {
  const sinks = { header: new TextSink(MAX_MARGIN_CHARS), footer: new TextSink(MAX_MARGIN_CHARS) }
  const readers = { header: new OdtReader(sinks.header, styles), footer: new OdtReader(sinks.footer, styles) }
  // What is longer is no header; its beginning is kept.
  const bounded = (side: keyof typeof readers): XmlHandlers => {
    const { open, close, text } = readers[side].handlers
    let isFull = false
    const trying = (work: () => void) => {
      if (isFull) return
      try {
        work()
      } catch (error) {
        if (!(error instanceof SinkFull)) throw error
        isFull = true
      }
    }
    return {
      open: (name, attributes) => trying(() => open?.(name, attributes)),
      close: (name) => trying(() => close?.(name)),
      text: (chunk) => trying(() => text?.(chunk)),
    }
  }
  await readXml(
    archive.read(STYLES),
    withStyles(styles, within('header', bounded('header'), within('footer', bounded('footer')))),
  )
  const sideText = (side: keyof typeof readers) => {
    try {
      readers[side].end()
    } catch (error) {
      if (!(error instanceof SinkFull)) throw error
    }
    return sinks[side]
      .finish()
      .parts.flatMap((part) => ('text' in part ? [part.text] : []))
      .join('\n\n')
  }
  return { header: sideText('header'), footer: sideText('footer') }
}

function within(element: string, handlers: XmlHandlers, others: XmlHandlers = {}): XmlHandlers {
  let depth = 0
  return {
    open(name, attributes) {
      if (depth > 0 || name === element) depth++
      if (depth > 1) handlers.open?.(name, attributes)
      else if (depth === 0) others.open?.(name, attributes)
    },
    close(name) {
      if (depth > 1) handlers.close?.(name)
      else if (depth === 0) others.close?.(name)
      if (depth > 0) depth--
    },
    text(text) {
      if (depth > 1) handlers.text?.(text)
      else if (depth === 0) others.text?.(text)
    },
  }
}

function withStyles(styles: Styles, handlers: XmlHandlers): XmlHandlers {
  let style: string | undefined
  let levels: Map<number, boolean> | undefined
  return {
    open(name, attributes) {
      const own = attributes.get('style:name') ?? ''
      if (name === 'style') style = own
      else if (name === 'text-properties' && style !== undefined && attributes.get('display') === 'none') {
        styles.hidden.add(style)
      } else if (name === 'list-style') {
        levels = new Map()
        styles.lists.set(own, levels)
      } else if (name === 'list-level-style-number') {
        levels?.set(Number(attributes.get('level')) - 1, (attributes.get('num-format') ?? '') !== '')
      }
      handlers.open?.(name, attributes)
    },
    close(name) {
      if (name === 'style') style = undefined
      else if (name === 'list-style') levels = undefined
      handlers.close?.(name)
    },
    text: handlers.text,
  }
}

type List = { style: string; isItemMarked: boolean; id?: string }

class OdtReader {
  readonly handlers: XmlHandlers
  readonly #styles: Styles
  readonly #numbering: Numbering = new Map()
  readonly #blocks: DocumentBlocks
  readonly #lists: List[] = []
  readonly #links: { start: number; url?: string }[] = []
  #listIds = 0
  #skipping = 0
  #noteDepth = 0
  #paragraphs = 0

  constructor(sink: TextSink, styles: Styles) {
    this.#styles = styles
    this.#blocks = new DocumentBlocks(sink, new Map(), this.#numbering)
    this.handlers = {
      open: (name, attributes) => this.#open(name, attributes),
      close: (name) => this.#close(name),
      text: (text) => {
        // Line breaks and indents of the file are blanks of the text.
        if (this.#skipping === 0) this.#write(text.replace(/[\t\r\n ]+/g, ' '))
      },
    }
  }

  end(): void {
    this.#blocks.end()
    this.#blocks.writeNotes()
  }

  #write(text: string): void {
    if (this.#noteDepth > 0) this.#blocks.writeInNote(text)
    else if (this.#paragraphs > 0) this.#blocks.write(text)
  }

  #open(name: string, attributes: XmlAttributes): void {
    const isHidden =
      this.#styles.hidden.has(attributes.get('text:style-name') ?? '') || isHiddenSection(name, attributes)
    if (this.#skipping > 0 || isHidden || SKIPPED.has(name)) {
      this.#skipping++
      return
    }
    if (this.#noteDepth > 0) this.#noteDepth++
    if (name === 'tab') this.#write('\t')
    else if (name === 'line-break') this.#write('\n')
    else if (name === 's') this.#write(' '.repeat(Math.min(Number(attributes.get('c') ?? 1) || 1, MAX_BLANKS)))
    else if (this.#noteDepth > 0) {
      if (name === 'p') this.#write(' ')
    } else if (name === 'p' || name === 'h') this.#openParagraph(name, attributes)
    else if (name === 'a') this.#links.push({ start: this.#blocks.length, url: attributes.get('href') ?? '' })
    else if (name === 'note-body') {
      this.#noteDepth = 1
      this.#blocks.openNote()
    } else if (name === 'list') {
      const style = attributes.get('style-name') ?? this.#lists.at(-1)?.style ?? ''
      this.#lists.push({ style, isItemMarked: true })
    } else if (name === 'list-item') this.#markNextParagraph()
    else if (name === 'table') this.#blocks.openTable()
    else if (name === 'table-row') this.#blocks.openRow()
    else if (name === 'table-cell') {
      this.#blocks.openCell()
      const span = Number(attributes.get('number-columns-spanned') ?? attributes.get('number-columns-repeated') ?? 1)
      this.#blocks.spanCell(span)
    }
  }

  #close(name: string): void {
    if (this.#skipping > 0) {
      this.#skipping--
      return
    }
    if (this.#noteDepth > 0) {
      this.#noteDepth--
      return
    }
    if (name === 'p' || name === 'h') {
      this.#paragraphs--
      this.#blocks.closeParagraph()
    } else if (name === 'a') {
      const link = this.#links.pop()
      if (link) this.#blocks.rewriteFrom(link.start, (text) => markdownLink(text, link.url))
    } else if (name === 'list') this.#lists.pop()
    else if (name === 'table-cell') this.#blocks.closeCell()
    else if (name === 'table') this.#blocks.closeTable()
  }

  #openParagraph(name: string, attributes: XmlAttributes): void {
    this.#paragraphs++
    this.#blocks.openParagraph()
    const level = Number(attributes.get('outline-level') ?? 1)
    if (name === 'h' && level >= 1) this.#blocks.setOutline(Math.min(level, 6) - 1)
    const list = this.#lists.at(-1)
    if (name !== 'p' || !list || list.isItemMarked) return
    list.isItemMarked = true
    // Levels of one list share a number, so that what goes on after a sublist counts on.
    const outer = this.#lists[0]!
    if (outer.id === undefined) {
      outer.id = String(++this.#listIds)
      this.#numbering.set(outer.id, this.#styles.lists.get(list.style) ?? new Map())
    }
    this.#blocks.setList({ numId: outer.id, level: this.#lists.length - 1 })
  }

  #markNextParagraph(): void {
    const list = this.#lists.at(-1)
    if (list) list.isItemMarked = false
  }
}

const isHiddenSection = (name: string, attributes: XmlAttributes): boolean =>
  name === 'section' && attributes.get('display') === 'none'
