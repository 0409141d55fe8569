import { expect, test } from 'vitest'
import { drawMath, type MathElement } from '@/components/markdown/latex-to-mathml'

const FORMULAS = [
  'x^2',
  '\\frac{a}{b} + \\sqrt[3]{x}',
  '\\sum_{i=1}^{n} i = \\int_0^\\infty e^{-x}\\,dx',
  '\\begin{pmatrix}1 & 2\\\\3 & 4\\end{pmatrix}',
  '\\begin{aligned}a &= b \\\\ c &= d\\end{aligned}',
  '\\vec{v} \\cdot \\hat{x} \\overline{abc} \\underbrace{x+y}_{z}',
  '\\text{if } x \\in \\mathbb{R}, \\mathcal{L}, \\mathfrak{g}',
  '\\color{red}{x} \\boxed{y} \\cancel{z}',
  '\\left( \\frac{1}{2} \\right] \\xrightarrow{abc}',
  '\\ce{H2O}',
]

const HOSTILE = [
  '\\href{javascript:alert(1)}{x}',
  '\\url{https://evil.example}',
  '\\includegraphics{https://evil.example/a.png}',
  '\\class{fixed inset-0 z-50}{x}',
  '\\id{main}{x}',
  '\\style{position:fixed;inset:0;background:url(https://evil.example)}{x}',
  '\\data{a=b}{x}',
  '\\htmlStyle{color:red}{x}',
  '\\color{url(https://evil.example)}{x}',
  '\\text{<script>alert(1)</script><img src=x onerror=alert(1)>}',
  '\\unicode{x3c}script\\unicode{x3e}',
  '\\rule{100000em}{100000em}',
]

function all(element: MathElement): MathElement[] {
  return [element, ...element.children.flatMap((child) => (typeof child === 'string' ? [] : all(child)))]
}

test.each(FORMULAS.slice(0, -1))('%s is drawn', (latex) => {
  expect(drawMath(latex, true)?.tag).toBe('math')
})

test.each([...FORMULAS, ...HOSTILE])('%s has nothing in it but a formula', (latex) => {
  const math = drawMath(latex, false)
  for (const { tag, attributes, style } of math ? all(math) : []) {
    expect(tag).toMatch(/^(?:m[a-z]+|none)$/)
    for (const name of Object.keys(attributes)) expect(name).not.toMatch(/^on|href|src|^style|^id$|data/i)
    expect(attributes.className ?? '').toMatch(/^(?:(?:tml-[a-z-]+|mathscr|upstrike|downstrike|sout) ?)*$/)
    expect(Object.values({ ...attributes, ...style }).join(' ')).not.toMatch(/[(:;<]/)
    expect(Object.keys(style)).not.toContain('position')
  }
})

test('a fault, a bomb and an endless text are not drawn', () => {
  expect(drawMath('\\frac{1', false)).toBeUndefined()
  expect(drawMath('\\def\\a{\\a\\a}\\a', false)).toBeUndefined()
  expect(drawMath('\\def\\a#1{#1#1}'.concat('\\a{'.repeat(12), 'x', '}'.repeat(12)), false)).toBeUndefined()
  expect(drawMath('x'.repeat(10_001), false)).toBeUndefined()
})
