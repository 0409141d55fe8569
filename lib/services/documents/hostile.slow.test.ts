import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { utils, write } from '@e965/xlsx'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onePagePdf } from '@/lib/services/documents/testing/bombs'
import { docx, epub, paragraph, pdf, xlsx } from '@/lib/services/documents/testing/documents'
import { ExtractionError, extractPage, extractText, parserPool } from '@/lib/services/documents/text-parser'

const signal = new AbortController().signal
let hits = 0
const canary = createServer((_request, response) => {
  hits++
  response.end('x')
})
let address = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`
})
afterAll(() => {
  canary.close()
  parserPool().close()
})

const outcomeOf = (bytes: Uint8Array) =>
  extractText({ bytes }, { signal, maxChars: 100_000 }).then(
    ({ text }) => text,
    (error: unknown) => error,
  )

test('nothing that a document refers to is fetched', async () => {
  const image = `<w:p><w:r><w:drawing><a:blip r:link="rImage"/></w:drawing></w:r></w:p>`
  const relation = (type: string) => ({ id: `r${type}`, type, target: `${address}/${type}`, isExternal: true })
  const word = docx(`${paragraph('Quiet document')}${image}`, {
    relations: ['image', 'attachedTemplate', 'oleObject', 'subDocument', 'frame'].map(relation),
  })
  expect(await outcomeOf(word)).toBe('Quiet document')
  const entity = docx('', {
    files: {
      'word/document.xml': `<!DOCTYPE x SYSTEM "${address}/x.dtd" [<!ENTITY a SYSTEM "${address}/a">]><x>&a;</x>`,
    },
  })
  expect(await outcomeOf(entity)).toMatchObject({ reason: 'bomb' })
  const book = xlsx(
    { S: '<row><c t="str"><f>WEBSERVICE("x")</f><v>cached</v></c></row>' },
    { files: { 'xl/externalLinks/_rels/externalLink1.xml.rels': `<a href="${address}/link"/>` } },
  )
  expect(await outcomeOf(book)).toContain('cached')
  const chapter = `<p>Quiet book</p><img src="${address}/i.png" alt="i"/><link rel="stylesheet" href="${address}/c.css"/><iframe src="${address}/f"></iframe>`
  expect(await outcomeOf(epub([chapter]))).toContain('Quiet book')

  const actions = `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 600 800] /A << /S /URI /URI (${address}/uri) >> >>] /AA << /O << /S /JavaScript /JS (app.launchURL\\("${address}/js"\\)) >> >>`
  const outside = {
    dictionary: `/F << /FS /URL /F (${address}/file) >> /FFilter /FlateDecode`,
    stream: new Uint8Array(),
  }
  const font = '/Font << /F << /Type /Font /Subtype /TrueType /BaseFont /NoSuchFont /Encoding /UniGB-UCS2-H >> >>'
  const text = { dictionary: '', stream: Buffer.from('BT /F 9 Tf 50 50 Td (Quiet page) Tj ET /I Do') }
  const quiet = Buffer.from(onePagePdf(text, `${font} /XObject << /I 5 0 R >>`, [outside])).toString('latin1')
  const active = quiet
    .replace('/Type /Page /Parent', `/Type /Page ${actions} /Parent`)
    .replace('/Type /Catalog', `/Type /Catalog /OpenAction << /S /SubmitForm /F (${address}/form) >>`)
  expect(await outcomeOf(Buffer.from(active, 'latin1'))).toContain('Quiet page')

  const page = `<base href="${address}/"><link rel="stylesheet" href="c.css"><style>@import url("${address}/i.css");</style>
    <script src="${address}/s.js"></script><script>fetch("${address}/f")</script><meta http-equiv="refresh" content="0;url=${address}/r">
    <p>Quiet site</p><img src="${address}/p.png" alt="p" onerror="fetch('${address}/e')"><video src="${address}/v" autoplay></video>`
  const { content } = await extractPage(new TextEncoder().encode(page), { url: `${address}/page`, signal })
  expect(content).toContain('Quiet site')
  expect(hits).toBe(0)
})

test('broken documents of every kind end in an error or in text, and never end the service', async () => {
  const sheet = utils.book_new()
  utils.book_append_sheet(sheet, utils.aoa_to_sheet(Array.from({ length: 50 }, (_, i) => [i, `row ${i}`])), 'S')
  const sources: [string, Uint8Array, number][] = [
    ['pdf', await pdf([['First page of the document', 'with lines'], ['Second page']]), 34],
    ['docx', docx(paragraph('A document')), 12],
    ['xlsx', xlsx({ S: '<row><c><v>1</v></c></row>' }), 8],
    ['epub', epub(['<p>A book</p>']), 8],
    ['xls', new Uint8Array(write(sheet, { type: 'buffer', bookType: 'biff8' }) as Buffer), 20],
  ]
  const random = generator(20_260_718)
  for (const [name, source, count] of sources) {
    const outcomes = await Promise.all(Array.from({ length: count }, (_, i) => outcomeOf(mutate(source, random, i))))
    const strange = outcomes.filter((outcome) => typeof outcome !== 'string' && !isFailure(outcome))
    expect(strange, name).toEqual([])
  }
  expect(await outcomeOf(docx(paragraph('Still here')))).toBe('Still here')
})

const isFailure = (outcome: unknown) => outcome instanceof ExtractionError && outcome.reason !== 'busy'

function mutate(source: Uint8Array, random: () => number, kind: number): Uint8Array {
  const bytes = Buffer.from(source)
  const at = () => Math.floor(random() * bytes.length)
  if (kind % 4 === 0) for (let i = 0; i < 20; i++) bytes[at()] = Math.floor(random() * 256)
  const [from = 0, to = 0] = [at(), at()].sort((a, b) => a - b)
  if (kind % 4 === 1) return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  if (kind % 4 === 2) return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
  return kind % 4 === 3 ? bytes.subarray(0, Math.max(to, 30)) : bytes
}

function generator(seed: number): () => number {
  let count = 0
  return () => createHash('sha256').update(`${seed} ${count++}`).digest().readUInt32BE(0) / 2 ** 32
}
