import { type Archive, insideName } from './archive.ts'
import { closeEmptyElements, decodeMarkup, dropHidden, pageMarkdown, parseMarkup } from './page.ts'
import { ExtractionError } from './parser-protocol.ts'
import { dropInvisible, type TextSink } from './text.ts'
import { readXml } from './xml.ts'

const CONTAINER = 'META-INF/container.xml'
const ENCRYPTION = 'META-INF/encryption.xml'
const MAX_CHAPTERS = 2_000
const MAX_CHAPTER_BYTES = 10 * 1024 * 1024
// Fonts may be obfuscated, which needs no key. Source: EPUB Open Container Format, "Font obfuscation".
const VEILED_FONT = /^http:\/\/(?:www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/
const CHAPTER_TYPES = /^(?:application\/xhtml\+xml|text\/html)$/

export const isEpub = (archive: Archive): boolean => archive.has(CONTAINER)

export async function readEpub(archive: Archive, sink: TextSink): Promise<void> {
  await refuseLicensed(archive)
  const packageName = await packageOf(archive)
  const { title, chapters } = await readPackage(archive, packageName)
  let isEmpty = true
  for (const name of chapters) {
    if (!archive.has(name)) continue
    const bytes = await archive.bytes(name, MAX_CHAPTER_BYTES)
    const document = parseMarkup(closeEmptyElements(dropInvisible(decodeMarkup(bytes, undefined))))
    dropHidden(document)
    const text = document.body ? pageMarkdown(document.body, undefined).trim() : ''
    if (text === '') continue
    if (isEmpty && title !== '' && !beginsWith(title, text)) sink.block(`# ${title}`)
    isEmpty = false
    sink.block(text)
  }
  if (isEmpty) throw new ExtractionError('empty')
}

function beginsWith(title: string, text: string): boolean {
  const [first = ''] = text.split('\n', 1)
  return /^#{1,6} /.test(first) && first.replace(/^#+ /, '').trim().toLowerCase() === title.toLowerCase()
}

async function refuseLicensed(archive: Archive): Promise<void> {
  if (!archive.has(ENCRYPTION)) return
  await readXml(archive.read(ENCRYPTION), {
    open(name, attributes) {
      if (name !== 'EncryptionMethod') return
      if (!VEILED_FONT.test(attributes.get('Algorithm') ?? '')) throw new ExtractionError('encrypted')
    },
  })
}

async function packageOf(archive: Archive): Promise<string> {
  let name: string | undefined
  await readXml(archive.read(CONTAINER), {
    open(element, attributes) {
      if (element === 'rootfile') name ??= attributes.get('full-path')
    },
  })
  if (name === undefined) throw new ExtractionError('corrupt')
  return insideName('', name)
}

async function readPackage(archive: Archive, packageName: string): Promise<{ title: string; chapters: string[] }> {
  const folder = packageName.slice(0, packageName.lastIndexOf('/') + 1)
  const manifest = new Map<string, string>()
  const chapters: string[] = []
  let title = ''
  let isTitle = false
  await readXml(archive.read(packageName), {
    open(name, attributes) {
      if (name === 'title' && title === '') isTitle = true
      else if (name === 'item' && CHAPTER_TYPES.test(attributes.get('media-type') ?? '')) {
        manifest.set(attributes.get('id') ?? '', insideName(folder, decoded(attributes.get('href') ?? '')))
      } else if (name === 'itemref' && chapters.length < MAX_CHAPTERS) {
        const chapter = manifest.get(attributes.get('idref') ?? '')
        if (chapter !== undefined && !chapters.includes(chapter)) chapters.push(chapter)
      }
    },
    close(name) {
      if (name === 'title') isTitle = false
    },
    text(text) {
      if (isTitle) title = (title + text).slice(0, 300)
    },
  })
  return { title: title.replace(/\s+/g, ' ').trim(), chapters }
}

function decoded(href: string): string {
  const path = href.split('#')[0] ?? ''
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
