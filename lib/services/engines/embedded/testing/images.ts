import sharp from 'sharp'

type Writing = {
  left?: number
  top?: number
  size?: number
  font?: string
  color?: string
}

export function writing(lines: string[], options: Writing = {}): string {
  const { left = 40, top = 60, size = 24, font = 'DejaVu Sans', color = '#000' } = options
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const attributes = `xml:space="preserve" x="${left}" font-family="${font}" font-size="${size}" fill="${color}"`
  return lines.map((text, row) => `<text ${attributes} y="${top + row * size * 1.5}">${escaped(text)}</text>`).join('')
}

export function imageFile(width: number, height: number, body: string, background = '#fff'): Promise<Buffer> {
  const ground = `<rect width="100%" height="100%" fill="${background}"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${ground}${body}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

export const STOP_SIGN = `
  <rect y="380" width="640" height="100" fill="#6a8f4e"/><rect x="313" y="260" width="14" height="200" fill="#888"/>
  <polygon points="266,60 374,60 450,136 450,244 374,320 266,320 190,244 190,136" fill="#fff"/>
  <polygon points="269,68 371,68 442,139 442,241 371,312 269,312 198,241 198,139" fill="#b5121b"/>
  <text x="320" y="220" font-family="DejaVu Sans" font-weight="bold" font-size="76" fill="#fff" text-anchor="middle">STOP</text>`
