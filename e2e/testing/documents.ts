import { utils, write } from '@e965/xlsx'
import { textPicture } from '@/e2e/testing/local-site'
import {
  docx,
  epub,
  odt,
  paragraph,
  pdf,
  pptx,
  rtf,
  scannedPdf,
  shape,
  xlsx,
} from '@/lib/services/documents/testing/documents'

/** A file of a kind, and what is only in it: quoted, it was read. */
export type Document = { name: string; mime?: string; bytes: () => Promise<Uint8Array> | Uint8Array; facts: string[] }

const OOXML = 'application/vnd.openxmlformats-officedocument'
const row = (...cells: string[]) =>
  `<row>${cells.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`

export const DOCUMENTS: Document[] = [
  {
    name: 'report.pdf',
    mime: 'application/pdf',
    bytes: () => pdf([['The lighthouse was painted in 1931.'], ['Page two says that its keeper was Ada.']]),
    facts: ['The lighthouse was painted in 1931.', 'Page two says that its keeper was Ada.'],
  },
  {
    name: 'scan.pdf',
    mime: 'application/pdf',
    bytes: async () => scannedPdf([await textPicture('RULES OF THE PIER'), await textPicture('NO FISHING AT NIGHT')]),
    facts: ['RULES OF THE PIER', 'NO FISHING AT NIGHT'],
  },
  {
    name: 'letter.docx',
    mime: `${OOXML}.wordprocessingml.document`,
    bytes: () => docx(paragraph('The pilot boat is called Marguerite.')),
    facts: ['The pilot boat is called Marguerite.'],
  },
  {
    name: 'talk.pptx',
    mime: `${OOXML}.presentationml.presentation`,
    bytes: () => pptx([{ shapes: shape('title', ['Opening']) }, { shapes: shape('body', ['Dredge by the tenth']) }]),
    facts: ['Slide 1: Opening', 'Dredge by the tenth'],
  },
  {
    name: 'berths.xlsx',
    mime: `${OOXML}.spreadsheetml.sheet`,
    bytes: () => xlsx({ Berths: row('Harbour', 'Berths') + row('Norte', 'forty-two') }),
    facts: ['| Norte | forty-two |'],
  },
  {
    name: 'berths.xls',
    mime: 'application/vnd.ms-excel',
    bytes: () => {
      const book = utils.book_new()
      utils.book_append_sheet(book, utils.aoa_to_sheet([['Harbour'], ['Sur'], [1742]]), 'Old')
      return new Uint8Array(write(book, { type: 'buffer', bookType: 'biff8' }))
    },
    facts: ['| Sur |', '| 1742 |'],
  },
  {
    name: 'novel.epub',
    mime: 'application/epub+zip',
    bytes: () => epub(['<h1>One</h1><p>The sea came in.</p>', '<h1>Two</h1><p>Nobody told the baker.</p>']),
    facts: ['The sea came in.', 'Nobody told the baker.'],
  },
  {
    name: 'letter.odt',
    mime: 'application/vnd.oasis.opendocument.text',
    bytes: () => odt('<text:p>The pilot boat is moored at berth nine.</text:p>'),
    facts: ['The pilot boat is moored at berth nine.'],
  },
  {
    name: 'letter.rtf',
    mime: 'application/rtf',
    bytes: () => rtf(String.raw`The harbour master is called Zo\'eb.\par`),
    facts: ['The harbour master is called Zoë.'],
  },
  {
    name: 'depths.csv',
    mime: 'text/csv',
    bytes: () => Buffer.from('place,metres\nouter buoy,17.5\n'),
    facts: ['outer buoy,17.5'],
  },
  {
    // Without a type: the name says what it is.
    name: 'tide.rs',
    bytes: () => Buffer.from('fn coefficient() -> u8 {\n    108 // spring tide\n}\n'),
    facts: ['fn coefficient() -> u8 {\n    108 // spring tide\n}'],
  },
]
