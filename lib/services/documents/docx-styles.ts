import type { Archive } from './archive.ts'
import { readXml } from './xml.ts'

/** What a paragraph style says of structure: an outline level from 0, and a list it belongs to. */
export type ParagraphStyle = { outline?: number; numId?: string; level?: number }

/** Lists: for each `numId`, whether a level is numbered. A level that is missing has bullets. */
export type Numbering = Map<string, Map<number, boolean>>

const HEADING_NAME = /^heading ([1-9])$/i

export async function readStyles(archive: Archive, part: string | undefined): Promise<Map<string, ParagraphStyle>> {
  const styles = new Map<string, ParagraphStyle>()
  if (part === undefined || !archive.has(part)) return styles
  let style: ParagraphStyle | undefined
  await readXml(archive.read(part), {
    open(name, attributes) {
      const value = attributes.get('val') ?? ''
      if (name === 'style') {
        style = {}
        styles.set(attributes.get('styleId') ?? '', style)
      } else if (style === undefined) return
      else if (name === 'basedOn') Object.assign(style, { ...styles.get(value), ...style })
      else if (name === 'name') {
        const heading = HEADING_NAME.exec(value)?.[1]
        if (heading !== undefined) style.outline = Number(heading) - 1
        else if (/^title$/i.test(value)) style.outline = 0
      } else if (name === 'outlineLvl') style.outline = Number(value)
      else if (name === 'numId') style.numId = value
      else if (name === 'ilvl') style.level = Number(value)
    },
    close(name) {
      if (name === 'style') style = undefined
    },
  })
  return styles
}

export async function readNumbering(archive: Archive, part: string | undefined): Promise<Numbering> {
  const numbering: Numbering = new Map()
  if (part === undefined || !archive.has(part)) return numbering
  const abstracts = new Map<string, Map<number, boolean>>()
  let levels: Map<number, boolean> | undefined
  let level = 0
  let numId: string | undefined
  await readXml(archive.read(part), {
    open(name, attributes) {
      const value = attributes.get('val') ?? ''
      if (name === 'abstractNum') {
        levels = new Map()
        abstracts.set(attributes.get('abstractNumId') ?? '', levels)
      } else if (name === 'lvl') level = Number(attributes.get('ilvl'))
      else if (name === 'numFmt' && numId === undefined) levels?.set(level, value !== 'bullet' && value !== 'none')
      else if (name === 'num') numId = attributes.get('numId')
      else if (name === 'abstractNumId' && numId !== undefined) numbering.set(numId, abstracts.get(value) ?? new Map())
    },
    close(name) {
      if (name === 'abstractNum') levels = undefined
      else if (name === 'num') numId = undefined
    },
  })
  return numbering
}
