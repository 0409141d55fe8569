import { strToU8, type Zippable, zipSync } from 'fflate'
import { PDFDocument, StandardFonts } from 'pdf-lib'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const REL = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
const R = `xmlns:r="${REL}"`

export type Files = Record<string, string | Uint8Array>

export function zip(files: Files, level: 0 | 6 | 9 = 6): Uint8Array {
  const entries: Zippable = {}
  for (const [name, data] of Object.entries(files)) entries[name] = typeof data === 'string' ? strToU8(data) : data
  return zipSync(entries, { level })
}

export type Rel = { id: string; type: string; target: string; isExternal?: boolean }

export function rels(relations: Rel[]): string {
  const items = relations.map(
    ({ id, type, target, isExternal }) =>
      `<Relationship Id="${id}" Type="${REL}/${type}" Target="${target}"${isExternal ? ' TargetMode="External"' : ''}/>`,
  )
  return `${XML}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`
}

function contentTypes(part: string, type: string): string {
  return `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`
}

export function docxFiles(body: string, more: { relations?: Rel[]; files?: Files } = {}): Files {
  return {
    '[Content_Types].xml': contentTypes('word/document.xml', 'wordprocessingml.document'),
    'word/document.xml': `${XML}<w:document ${W} ${R}><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': rels([
      { id: 'rS', type: 'styles', target: 'styles.xml' },
      { id: 'rN', type: 'numbering', target: 'numbering.xml' },
      { id: 'rF', type: 'footnotes', target: 'footnotes.xml' },
      ...(more.relations ?? []),
    ]),
    'word/styles.xml': `${XML}<w:styles ${W}><w:style w:type="paragraph" w:styleId="Ueberschrift1"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style></w:styles>`,
    'word/numbering.xml': `${XML}<w:numbering ${W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
    ...more.files,
  }
}

export const docx = (body: string, more: { relations?: Rel[]; files?: Files } = {}): Uint8Array =>
  zip(docxFiles(body, more))

export const paragraph = (text: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`

export const wordNamespace = W

const A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
const P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'

export const shape = (type: string | undefined, lines: string[]): string =>
  `<p:sp><p:nvSpPr><p:nvPr>${type === undefined ? '' : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${lines
    .map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp>`

/** Slides in the order of the show; their files are numbered the other way round. */
export function pptx(slides: { shapes: string; notes?: string }[]): Uint8Array {
  const files: Files = {
    '[Content_Types].xml': contentTypes('ppt/presentation.xml', 'presentationml.presentation'),
    'ppt/presentation.xml': `${XML}<p:presentation ${P} ${R}><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${i}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': rels(
      slides.map((_, i) => ({ id: `rId${i}`, type: 'slide', target: `slides/slide${slides.length - i}.xml` })),
    ),
  }
  const tree = (shapes: string, root: string) =>
    `${XML}<p:${root} ${P} ${A} ${R}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${root}>`
  for (const [i, { shapes, notes }] of slides.entries()) {
    const number = slides.length - i
    files[`ppt/slides/slide${number}.xml`] = tree(shapes, 'sld')
    if (notes === undefined) continue
    files[`ppt/slides/_rels/slide${number}.xml.rels`] = rels([
      { id: 'n', type: 'notesSlide', target: `../notesSlides/notesSlide${number}.xml` },
    ])
    files[`ppt/notesSlides/notesSlide${number}.xml`] = tree(shape('body', [notes]) + shape('sldNum', ['7']), 'notes')
  }
  return zip(files)
}

const S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'

export function xlsx(
  sheets: Record<string, string>,
  more: { strings?: string[]; styles?: string; files?: Files } = {},
): Uint8Array {
  const names = Object.keys(sheets)
  const files: Files = {
    '[Content_Types].xml': contentTypes('xl/workbook.xml', 'spreadsheetml.sheet'),
    'xl/workbook.xml': `${XML}<workbook ${S} ${R}><sheets>${names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="s${i}"/>`).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': rels([
      ...names.map((_, i) => ({ id: `s${i}`, type: 'worksheet', target: `worksheets/sheet${i + 1}.xml` })),
      { id: 'st', type: 'sharedStrings', target: '/xl/sharedStrings.xml' },
      { id: 'sy', type: 'styles', target: 'styles.xml' },
    ]),
    'xl/sharedStrings.xml': `${XML}<sst ${S}>${(more.strings ?? []).join('')}</sst>`,
    'xl/styles.xml': `${XML}<styleSheet ${S}>${more.styles ?? ''}</styleSheet>`,
    ...more.files,
  }
  for (const [i, name] of names.entries()) {
    files[`xl/worksheets/sheet${i + 1}.xml`] =
      `${XML}<worksheet ${S}><sheetData>${sheets[name]}</sheetData></worksheet>`
  }
  return zip(files)
}

export function epub(chapters: string[], more: Files = {}): Uint8Array {
  const file = (i: number) => `text/ch%20${chapters.length - i}.xhtml`
  return zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `${XML}<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    'OEBPS/content.opf': `${XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Tide Book</dc:title></metadata><manifest>${chapters.map((_, i) => `<item id="c${i}" href="${file(i)}" media-type="application/xhtml+xml"/>`).join('')}</manifest><spine>${chapters.map((_, i) => `<itemref idref="c${i}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(
      chapters.map((body, i) => [
        `OEBPS/${decodeURIComponent(file(i))}`,
        `${XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x.js"/></head><body>${body}</body></html>`,
      ]),
    ),
    ...more,
  })
}

export async function pdf(pages: string[][]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (const lines of pages) {
    const page = document.addPage([595, 842])
    for (const [i, line] of lines.entries()) page.drawText(line, { x: 60, y: 780 - i * 16, size: 12, font })
  }
  return document.save()
}

export async function scannedPdf(images: Uint8Array[]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  for (const imageFile of images) {
    const image = await document.embedPng(imageFile)
    const page = document.addPage([image.width, image.height])
    page.drawImage(image, { x: 0, y: 0, width: image.width, height: image.height })
  }
  return document.save()
}

export function odt(body: string, more: { styles?: string; files?: Files } = {}): Uint8Array {
  const names = ['office', 'style', 'text', 'table', 'draw', 'fo', 'svg']
  const spaces = names.map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(' ')
  return zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `${XML}<office:document-content ${spaces} xmlns:xlink="http://www.w3.org/1999/xlink"><office:automatic-styles>${more.styles ?? ''}</office:automatic-styles><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    'META-INF/manifest.xml': `${XML}<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>`,
    ...more.files,
  })
}

export const rtf = (body: string): Uint8Array =>
  Buffer.from(
    `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\froman Times;}{\\f1\\fnil\\fcharset204 Cyr;}{\\f2\\fnil\\fcharset128 Mincho;}}{\\colortbl;\\red0\\green0\\blue0;}{\\*\\generator Test;}\n${body}}`,
    'latin1',
  )
