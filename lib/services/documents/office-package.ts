import type { Archive } from './archive.ts'
import { readXml } from './xml.ts'

export type OfficeType = 'docx' | 'pptx' | 'xlsx'

const MAX_RELATIONS = 10_000

// Documents, templates and shows, with and without macros, in both conformance classes.
const MAIN_PART: [OfficeType, RegExp][] = [
  ['docx', /wordprocessingml\.(?:document|template)\.main|ms-word\.(?:document|template)\.macroEnabled/i],
  ['pptx', /presentationml\.(?:presentation|slideshow|template)\.main|ms-powerpoint\..*macroEnabled\.main/i],
  ['xlsx', /spreadsheetml\.(?:sheet|template)\.main|ms-excel\.(?:sheet|template)\.macroEnabled\.main/i],
]
const USUAL_PART: [OfficeType, string][] = [
  ['docx', 'word/document.xml'],
  ['pptx', 'ppt/presentation.xml'],
  ['xlsx', 'xl/workbook.xml'],
]

export async function findMainPart(archive: Archive): Promise<{ type: OfficeType; part: string } | undefined> {
  if (!archive.has('[Content_Types].xml')) return
  const found: { type: OfficeType; part: string }[] = []
  await readXml(archive.read('[Content_Types].xml'), {
    open(name, attributes) {
      if (name !== 'Override' || found.length > 0) return
      const contentType = attributes.get('ContentType') ?? ''
      const part = (attributes.get('PartName') ?? '').replace(/^\//, '')
      for (const [type, pattern] of MAIN_PART) {
        if (pattern.test(contentType) && archive.has(part)) found.push({ type, part })
      }
    },
  })
  if (found[0]) return found[0]
  for (const [type, part] of USUAL_PART) if (archive.has(part)) return { type, part }
}

export type Relation = { id: string; type: string; target: string; isExternal: boolean }

/**
 * Reads the references of a part by id. Targets inside the archive are full names; those outside are never followed.
 */
export async function relationsOf(archive: Archive, part: string): Promise<Map<string, Relation>> {
  const slash = part.lastIndexOf('/')
  const folder = part.slice(0, slash + 1)
  const name = `${folder}_rels/${part.slice(slash + 1)}.rels`
  const relations = new Map<string, Relation>()
  if (!archive.has(name)) return relations
  await readXml(archive.read(name), {
    open(element, attributes) {
      if (element !== 'Relationship' || relations.size >= MAX_RELATIONS) return
      const id = attributes.get('Id') ?? ''
      const type = (attributes.get('Type') ?? '').split('/').at(-1) ?? ''
      const isExternal = attributes.get('TargetMode') === 'External'
      const target = attributes.get('Target') ?? ''
      relations.set(id, { id, type, target: isExternal ? target : insideName(folder, target), isExternal })
    },
  })
  return relations
}

export function relationOfType(relations: Map<string, Relation>, type: string): Relation | undefined {
  for (const relation of relations.values()) if (relation.type === type && !relation.isExternal) return relation
}

export function insideName(folder: string, target: string): string {
  const path = target.startsWith('/') ? target : `/${folder}${target}`
  const parts: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') parts.pop()
    else if (segment !== '' && segment !== '.') parts.push(segment)
  }
  return parts.join('/')
}
