import type { Archive } from './archive.ts'
import { type Relation, relationOfType, relationsOf } from './archive.ts'
import { DocumentBlocks, readNumbering, readStyles } from './document-blocks.ts'
import { markdownLink, SinkFull, TextSink } from './text.ts'
import { readXml, type XmlAttributes, type XmlHandlers } from './xml.ts'

const SKIPPED = new Set(['del', 'moveFrom', 'Fallback'])

const MAX_MARGINS = 50
const MAX_MARGIN_CHARS = 5_000

export async function readDocx(archive: Archive, part: string, sink: TextSink): Promise<void> {
  const relations = await relationsOf(archive, part)
  const target = (type: string) => relationOfType(relations, type)?.target
  const styles = await readStyles(archive, target('styles'))
  const numbering = await readNumbering(archive, target('numbering'))
  const blocks = new DocumentBlocks(sink, styles, numbering)
  const marginsOf = (type: 'header' | 'footer') =>
    readMargins(
      archive,
      [...relations.values()].filter((relation) => relation.type === type),
      (own) => new DocumentBlocks(own, styles, numbering),
    )
  for (const text of await marginsOf('header')) sink.block(text)
  await readXml(archive.read(part), bodyHandlers(blocks, relations))
  blocks.end()

  for (const [type, element] of [
    ['footnotes', 'footnote'],
    ['endnotes', 'endnote'],
  ] as const) {
    const notes = target(type)
    if (notes === undefined || !archive.has(notes) || !blocks.hasNotes) continue
    const noteRelations = await relationsOf(archive, notes)
    await readXml(archive.read(notes), noteHandlers(blocks, noteRelations, element))
    blocks.end()
  }
  for (const text of await marginsOf('footer')) sink.block(text)
}

async function readMargins(
  archive: Archive,
  parts: Relation[],
  blocksOn: (sink: TextSink) => DocumentBlocks,
): Promise<Set<string>> {
  const texts = new Set<string>()
  for (const { target, isExternal } of parts.slice(0, MAX_MARGINS)) {
    if (isExternal || !archive.has(target)) continue
    const sink = new TextSink(MAX_MARGIN_CHARS)
    const blocks = blocksOn(sink)
    try {
      await readXml(archive.read(target), bodyHandlers(blocks, await relationsOf(archive, target)))
      blocks.end()
    } catch (error) {
      // What is longer is no header; its beginning is kept.
      if (!(error instanceof SinkFull)) throw error
    }
    for (const piece of sink.finish().parts) if ('text' in piece) texts.add(piece.text)
  }
  return texts
}

function noteHandlers(blocks: DocumentBlocks, relations: Map<string, Relation>, element: string): XmlHandlers {
  const body = bodyHandlers(blocks, relations)
  let isSeparator = false
  return {
    open(name, attributes) {
      if (name === element) {
        isSeparator = attributes.get('type') !== undefined && attributes.get('type') !== 'normal'
        blocks.prefix = isSeparator ? '' : `${noteMark(element, attributes)}: `
      } else if (!isSeparator) body.open?.(name, attributes)
    },
    close(name) {
      if (name === element) isSeparator = false
      else if (!isSeparator) body.close?.(name)
    },
    text(text) {
      if (!isSeparator) body.text?.(text)
    },
  }
}

const noteMark = (element: string, attributes: XmlAttributes): string =>
  `[^${element === 'endnote' ? 'e' : ''}${(attributes.get('id') ?? '').slice(0, 8)}]`

function bodyHandlers(blocks: DocumentBlocks, relations: Map<string, Relation>): XmlHandlers {
  let skipping = 0
  let runs = 0
  let isRunProperties = false
  let isHidden = false
  let isText = false
  const links: { start: number; url?: string }[] = []
  const write = (text: string) => {
    if (runs > 0 && !isRunProperties && !isHidden) blocks.write(text)
  }

  return {
    open(name, attributes) {
      if (skipping > 0 || SKIPPED.has(name)) {
        skipping++
        return
      }
      const value = attributes.get('val')
      if (name === 'p') blocks.openParagraph()
      else if (name === 'pStyle') blocks.setStyle(value ?? '')
      else if (name === 'numId') blocks.setList({ numId: value ?? '0' })
      else if (name === 'ilvl') blocks.setList({ level: Number(value) })
      else if (name === 'outlineLvl') blocks.setOutline(Number(value))
      else if (name === 'r') {
        runs++
        isHidden = false
      } else if (name === 'rPr') isRunProperties = true
      else if (name === 'vanish') isHidden = isHidden || (runs > 0 && value !== '0' && value !== 'false')
      else if (name === 't') isText = true
      else if (name === 'tab') write('\t')
      else if (name === 'br' || name === 'cr') write('\n')
      else if (name === 'noBreakHyphen') write('-')
      else if (name === 'hyperlink') links.push({ start: blocks.length, ...externalUrl(relations, attributes) })
      else if (name === 'footnoteReference') blocks.writeNote(noteMark('footnote', attributes))
      else if (name === 'endnoteReference') blocks.writeNote(noteMark('endnote', attributes))
      else if (name === 'tbl') blocks.openTable()
      else if (name === 'tr') blocks.openRow()
      else if (name === 'tc') blocks.openCell()
      else if (name === 'gridSpan') blocks.spanCell(Number(value))
    },
    close(name) {
      if (skipping > 0) {
        skipping--
        return
      }
      if (name === 'p') blocks.closeParagraph()
      else if (name === 'r') runs = Math.max(runs - 1, 0)
      else if (name === 'rPr') isRunProperties = false
      else if (name === 't') isText = false
      else if (name === 'tc') blocks.closeCell()
      else if (name === 'tbl') blocks.closeTable()
      else if (name === 'hyperlink') {
        const link = links.pop()
        if (link?.url !== undefined) blocks.rewriteFrom(link.start, (text) => markdownLink(text, link.url))
      }
    },
    text(text) {
      if (isText && skipping === 0) write(text)
    },
  }
}

function externalUrl(relations: Map<string, Relation>, attributes: XmlAttributes): { url?: string } {
  const relation = relations.get(attributes.get('id') ?? '')
  return relation?.isExternal ? { url: relation.target } : {}
}
