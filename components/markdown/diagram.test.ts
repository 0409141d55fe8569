import { DOMParser } from 'linkedom'
import { expect, test } from 'vitest'
import { cleanSvg, plainSource } from '@/components/markdown/diagram'

// The parser of the server's reader stands in for the browser's: both give a tree of elements with attributes.
const parser = new DOMParser() as unknown as globalThis.DOMParser
const serializer = { serializeToString: (node: Node) => String(node) } as XMLSerializer
const svg = (inside: string) =>
  cleanSvg(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 20">${inside}</svg>`, parser, serializer)?.svg

test('a drawing stays, with its size', () => {
  const clean = cleanSvg(
    '<svg viewBox="-8 -8 100.2 50" style="max-width:1px"><g><rect width="1" fill="red"/></g></svg>',
    parser,
    serializer,
  )
  expect(clean).toMatchObject({ width: 101, height: 50 })
  expect(clean?.svg).toContain('<rect')
  expect(clean?.svg).not.toContain('max-width')
})

test.each([
  '<script>alert(1)</script>',
  '<g onload="alert(1)"/>',
  '<a href="javascript:alert(1)"><text>x</text></a>',
  '<image href="https://evil.example/a.png"/>',
  '<use href="https://evil.example/a.svg#b"/>',
  '<foreignObject><iframe src="https://evil.example"/></foreignObject>',
  '<style>@import url(https://evil.example/a.css);</style>',
  '<style>a{fill:\\75rl(https://evil.example)}</style>',
  '<rect style="fill:url(https://evil.example/a#b)"/>',
  '<rect fill="url(//evil.example/a#b)"/>',
  '<animate attributeName="href" to="javascript:alert(1)"/>',
  '<set attributeName="onload" to="alert(1)"/>',
  '<text xlink:href="https://evil.example">x</text>',
])('%s does not stay', (inside) => {
  expect(svg(inside)).not.toMatch(/script|onload|evil|alert|href|iframe|import/i)
})

test('what points into the drawing stays', () => {
  expect(svg('<path marker-end="url(#end)" style="stroke:red"/><style>#a{fill:red}</style>')).toMatch(
    /url\(#end\).*#a\{fill/,
  )
})

test('what is no drawing is nothing', () => {
  expect(cleanSvg('<html><body/></html>', parser, serializer)).toBeUndefined()
  expect(cleanSvg('<svg/>', parser, serializer)).toBeUndefined()
})

test('a diagram loses its settings and its links, and one that loads is not drawn', () => {
  expect(
    plainSource('%%{init: {"theme":"dark","themeCSS":"x"}}%%\ngraph TD\nA-->B\nclick A "https://evil.example"'),
  ).toBe('\ngraph TD\nA-->B\n')
  expect(plainSource('---\nconfig:\n  theme: dark\n---\ngraph TD')).toBe('graph TD')
  expect(plainSource('graph TD\nA@{ img: "https://evil.example/a.png" }')).toBeUndefined()
  expect(plainSource('graph TD\nstyle A fill:url(https://evil.example)')).toBeUndefined()
  expect(plainSource('graph TD\nA["<img src=x onerror=alert(1)>"]')).toBeUndefined()
})
