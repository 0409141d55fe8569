import type { Archive } from './archive.ts'
import { relationOfType, relationsOf } from './archive.ts'
import type { TextSink } from './text.ts'
import { markdownTable, oneLine } from './text.ts'
import { readXml } from './xml.ts'

const MAX_SLIDES = 1_000

type Slide = { title: string; blocks: string[] }

export async function readPptx(archive: Archive, part: string, sink: TextSink): Promise<void> {
  const slides = await slideParts(archive, part)
  if (slides.length > MAX_SLIDES) sink.truncate()
  for (const [index, name] of slides.slice(0, MAX_SLIDES).entries()) {
    if (!archive.has(name)) continue
    const slide = await readSlide(archive, name, sink.remaining)
    const notesPart = relationOfType(await relationsOf(archive, name), 'notesSlide')?.target
    const notes =
      notesPart !== undefined && archive.has(notesPart)
        ? await readSlide(archive, notesPart, sink.remaining)
        : undefined
    const noteText = notes?.blocks.join('\n').replace(/^ *- /gm, '').trim() ?? ''
    if (slide.title === '' && slide.blocks.length === 0 && noteText === '') continue
    sink.block(`## Slide ${index + 1}${slide.title === '' ? '' : `: ${oneLine(slide.title)}`}`)
    for (const block of slide.blocks) sink.block(block)
    if (noteText !== '') sink.block(`Notes: ${noteText}`)
  }
}

async function slideParts(archive: Archive, part: string): Promise<string[]> {
  const relations = await relationsOf(archive, part)
  const names: string[] = []
  await readXml(archive.read(part), {
    open(name, attributes) {
      const relation = name === 'sldId' ? relations.get(relationId(attributes)) : undefined
      if (relation && !relation.isExternal) names.push(relation.target)
    },
  })
  return names
}

function relationId(attributes: ReadonlyMap<string, string>): string {
  for (const [name, value] of attributes) if (name.endsWith(':id')) return value
  return ''
}

const FURNITURE = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

async function readSlide(archive: Archive, name: string, remaining: number): Promise<Slide> {
  const slide: Slide = { title: '', blocks: [] }
  let chars = 0
  let skipping = 0
  let placeholder: string | undefined
  let lines: string[] = []
  let paragraph: { text: string; level: number } | undefined
  let rows: string[][] | undefined
  let isText = false

  const endShape = () => {
    const text = lines.join('\n')
    lines = []
    if (text === '' || FURNITURE.has(placeholder ?? '')) return
    if (placeholder === 'title' || placeholder === 'ctrTitle') slide.title += (slide.title === '' ? '' : ' ') + text
    else slide.blocks.push(text)
  }

  await readXml(archive.read(name), {
    open(element, attributes) {
      if (skipping > 0 || element === 'Fallback') skipping++
      else if (element === 'sp' || element === 'graphicFrame') placeholder = undefined
      else if (element === 'ph') placeholder = attributes.get('type') ?? 'body'
      else if (element === 'p') paragraph = { text: '', level: 0 }
      else if (element === 'pPr' && paragraph) paragraph.level = Math.min(Number(attributes.get('lvl') ?? 0) || 0, 8)
      else if (element === 't') isText = true
      else if (element === 'br' && paragraph) paragraph.text += '\n'
      else if (element === 'tbl') rows = []
      else if (element === 'tr') rows?.push([])
      else if (element === 'tc') rows?.at(-1)?.push('')
    },
    close(element) {
      if (skipping > 0) skipping--
      else if (element === 't') isText = false
      else if (element === 'p' && paragraph) {
        const text = paragraph.text.trim()
        const row = rows?.at(-1)
        if (text !== '' && row && row.length > 0) row[row.length - 1] += `${row.at(-1) === '' ? '' : '\n'}${text}`
        else if (text !== '' && !rows)
          lines.push(placeholder === 'body' ? `${'  '.repeat(paragraph.level)}- ${text}` : text)
        paragraph = undefined
      } else if (element === 'sp') endShape()
      else if (element === 'tbl' && rows) {
        slide.blocks.push(markdownTable(rows.filter((row) => row.length > 0)))
        rows = undefined
      }
    },
    text(text) {
      // What is more than there is room for is not kept; the sink says so when it gets the rest.
      if (!isText || !paragraph || skipping > 0 || chars > remaining) return
      paragraph.text += text
      chars += text.length
    },
  })
  return slide
}
