import { randomBytes } from 'node:crypto'
import { zipSync } from 'fflate'
import sharp from 'sharp'
import { dataUrl } from '@/e2e/testing/local-site'
import { onePagePdf, packed, pngOf, rawPdf, rawZip, zip64With } from '@/lib/services/documents/testing/bombs'
import { docx, docxFiles, epub, paragraph, xlsx, zip } from '@/lib/services/documents/testing/documents'
import { makeWithFfmpeg, testImage } from '@/lib/services/media/testing'
import { writeWav } from '@/lib/services/media/wav'

export type HostileFile = {
  name: string
  part: object
  /** Statuses and codes of the answer; `note` where the answer comes, and the model is told that the file is broken. */
  expected: string[]
}

const MB = 1_000_000
const INVALID = '400 INVALID_REQUEST'
const BROKEN = '400 CORRUPTED_IMAGE'
const NO_FILM = '400 INVALID_VIDEO_FORMAT'
const NO_SOUND = '400 INVALID_AUDIO_FORMAT'

/** Everything that tries to take more than it is given, or pretends to be what it is not. */
export async function hostileFiles(origin: string): Promise<HostileFile[]> {
  return [...archives(), ...markup(), ...pdfs(), ...(await pictures()), ...films(), ...sounds(), ...addresses(origin)]
}

const file = (name: string, bytes: Uint8Array, expected: string[]): HostileFile => ({
  name,
  part: { type: 'file', file: { file_data: dataUrl('application/octet-stream', bytes), filename: name } },
  expected,
})
const image = (name: string, bytes: Uint8Array, ...expected: string[]): HostileFile => ({
  name,
  part: { type: 'image_url', image_url: { url: dataUrl('image/png', bytes) } },
  expected,
})
const film = (name: string, bytes: Uint8Array, ...expected: string[]): HostileFile => ({
  name,
  part: { type: 'video_url', video_url: { url: dataUrl('video/mp4', bytes) } },
  expected,
})
const sound = (name: string, data: string, format: string, ...expected: string[]): HostileFile => ({
  name,
  part: { type: 'input_audio', input_audio: { data, format } },
  expected,
})

const blanks = (length: number) => Buffer.alloc(length, ' ')
const words = Buffer.from(`<w:document><w:body>${paragraph('x')}</w:body></w:document>`)
const document = (text: string) => docx('', { files: { 'word/document.xml': text } })

function archives(): HostileFile[] {
  const { 'word/document.xml': _, ...rest } = docxFiles('')
  const parts = Object.entries(rest).map(([name, data]) => ({ name, data: Buffer.from(data) }))
  const body = { name: 'word/document.xml', data: words }
  const copies = Array.from({ length: 50 }, (_, i) => ({ name: `word/${i}.xml`, data: words, sharesWith: 0 }))
  const nested = [1, 2, 3, 4, 5].reduce<Uint8Array>((inner) => zipSync({ 'a.zip': inner }), zip({ a: blanks(10 * MB) }))
  return [
    file('blanks.docx', zip({ ...docxFiles(''), 'word/document.xml': blanks(16 * MB) }), [INVALID]),
    file('empty-paragraphs.docx', document(`<w:document><w:body>${'<w:p/>'.repeat(1.2 * MB)}`), [INVALID]),
    file('nested.zip', nested, ['note']),
    file('zip-in.docx', docx('', { files: { 'word/document.xml': zip({ a: blanks(MB) }) } }), ['note']),
    file('overlapping.docx', rawZip([...parts, body, ...copies]), [INVALID]),
    file('a-million-entries.docx', zip64With(1_000_000n), [INVALID, 'note']),
    file('entries.docx', rawZip(Array.from({ length: 3_000 }, (_, i) => ({ name: `${i}`, data: words }))), [INVALID]),
    file('lying.docx', rawZip([...parts, { ...body, data: blanks(MB), claimedSize: 10 }]), ['note']),
  ]
}

function markup(): HostileFile[] {
  const entities = Array.from({ length: 9 }, (_, i) => {
    const inner = `&${'abcdefghi'[i]};`
    return `<!ENTITY ${'bcdefghij'[i]} "${inner.repeat(10)}">`
  })
  const laughs = `<!DOCTYPE x [<!ENTITY a "ha">${entities.join('')}]><x>&j;</x>`
  const outside = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'
  return [
    file('laughs.docx', document(laughs), [INVALID]),
    file('laughs.xlsx', xlsx({ S: '' }, { files: { 'xl/workbook.xml': laughs } }), [INVALID]),
    file('laughs.epub', epub(['x'], { 'META-INF/container.xml': laughs }), [INVALID]),
    file('outside.docx', document(outside), [INVALID]),
    file('deep.docx', document('<w:p>'.repeat(100_000)), [INVALID]),
    file('elements.epub', epub([`<p>${'<b>x</b>'.repeat(MB / 2)}</p>`]), [INVALID]),
    file('cells.xlsx', xlsx({ S: '<row/>' }, { strings: ['<si><t>a</t></si>'.repeat(1_100_000)] }), [INVALID]),
  ]
}

function pdfs(): HostileFile[] {
  const text = Buffer.from('BT /F 9 Tf (a) Tj ET\n'.repeat(14 * MB))
  const font = '/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>'
  const ring = ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000000 >>']
  return [
    file('packed-twice.pdf', onePagePdf(packed(text, 2), font), [INVALID, '200']),
    file('blanks.pdf', onePagePdf(packed(blanks(12 * MB), 2)), [INVALID, 'note']),
    file('ring.pdf', rawPdf(ring), ['note', INVALID]),
    file('deep.pdf', rawPdf([`<< /Type /Catalog /Pages ${'<< /A '.repeat(100_000)}`]), ['note', INVALID]),
  ]
}

async function pictures(): Promise<HostileFile[]> {
  const photo = sharp({
    create: { width: 300, height: 300, channels: 3, background: 'grey', noise: { type: 'gaussian', sigma: 40 } },
  })
  const jpeg = await photo.clone().jpeg().toBuffer()
  const avif = await photo.clone().avif().toBuffer()
  const garbage = (brand: string) =>
    Buffer.concat([Buffer.from(`\0\0\0\x18ftyp${brand}\0\0\0\0mif1${brand}`, 'latin1'), randomBytes(200_000)])
  return [
    image('30,000 squared', pngOf(30_000, 30_000), '422 IMAGE_TOO_LARGE'),
    image('a PNG that lies', pngOf(3_000, 3_000), BROKEN),
    image('an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="99999" height="99999"/>'), INVALID),
    image('half a JPEG', jpeg.subarray(0, jpeg.length / 2), BROKEN),
    image('half an AVIF', avif.subarray(0, avif.length / 2), BROKEN),
    image('HEIC garbage', garbage('heic'), BROKEN),
    image('AVIF garbage', garbage('avif'), BROKEN),
    image('24 MB of nothing', Buffer.concat([jpeg.subarray(0, 4), Buffer.alloc(24 * MB)]), BROKEN),
    file('squared.png', pngOf(30_000, 30_000), ['422 IMAGE_TOO_LARGE']),
  ]
}

function films(): HostileFile[] {
  const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  const [short, long] = makeWithFfmpeg(
    [...testImage('64x64', 1, 4), ...x264, 'a.mp4'],
    ['-f', 'lavfi', '-i', 'color=size=64x64:rate=1:duration=700', ...x264, 'a.mp4'],
  ) as [Uint8Array, Uint8Array]
  const head = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp41', 'latin1')
  return [
    film('twelve minutes', long, '422 VIDEO_DURATION_TOO_LONG'),
    film('a century', lasting(short, 0xffff_fffe), '422 VIDEO_DURATION_TOO_LONG', NO_FILM, '200'),
    film('a playlist', Buffer.from('#EXTM3U\n#EXTINF:9,\nfile:///etc/passwd\n'), NO_FILM),
    film('a list of files', Buffer.from("ffconcat version 1.0\nfile '/etc/passwd'\n"), NO_FILM),
    film('a playlist with a film’s head', Buffer.concat([head, Buffer.from('#EXTM3U\nfile:///etc/passwd\n')]), NO_FILM),
    film('20 MB of noise with a film’s head', Buffer.concat([head, randomBytes(20 * MB)]), NO_FILM),
  ]
}

/** The same film, which says that it lasts so many of its units. */
function lasting(mp4: Uint8Array, units: number): Uint8Array {
  const bytes = Buffer.from(mp4)
  // After the name: version and flags, two times, units a second, and how many.
  for (const box of ['mvhd', 'mdhd']) bytes.writeUInt32BE(units, bytes.indexOf(box) + 4 + 16)
  return bytes
}

function sounds(): HostileFile[] {
  const wav = Buffer.from(writeWav(new Float32Array(16_000), 16_000))
  const lying = Buffer.from(wav)
  lying.writeUInt32LE(0xffff_fff0, 40)
  const impossible = Buffer.from(wav)
  impossible.writeUInt32LE(0xffff_ffff, 24)
  const slow = Buffer.concat([writeWav(new Float32Array(1), 4_000).subarray(0, 44), Buffer.alloc(20 * MB)])
  slow.writeUInt32LE(0, 40)
  return [
    sound('a WAV longer than it is', lying.toString('base64'), 'wav', '200'),
    sound('a WAV of four billion hertz', impossible.toString('base64'), 'wav', NO_SOUND),
    sound('a WAV of forty minutes', slow.toString('base64'), 'wav', INVALID),
    sound('noise called OGG', `T2dnUw${randomBytes(300_000).toString('hex')}`, 'ogg', NO_SOUND),
    sound('30 MB of blanks', 'A '.repeat(15 * MB), 'wav', INVALID),
    sound('an address', 'https://127.0.0.1/a.wav', 'wav', INVALID),
  ]
}

function addresses(origin: string): HostileFile[] {
  const at = (type: string, field: string, name: string): HostileFile => ({
    name: `${type} ${name}`,
    part: { type, [type]: { [field]: origin + name } },
    expected: [INVALID],
  })
  return [
    at('image_url', 'url', '/gzip.png'),
    at('image_url', 'url', '/huge.png'),
    at('file', 'file_data', '/br.txt'),
    at('file', 'file_data', '/gzip.html'),
    at('video_url', 'url', '/endless.mp4'),
  ]
}
