import { expect, test } from 'vitest'
import { markFormulas } from '@/components/markdown/formulas'

const foundIn = (line: string) => markFormulas(line, false).formulas.map(({ latex }) => latex)

/** Lines without any formula. */
const MONEY = [
  'It costs $5 and $10.',
  'From $5 to $10',
  '$5-$10',
  '$5–$10',
  '$1,000.50 or $2,000.75 a month',
  'US$5 and US$6',
  'A$5, NZ$6 and C$7',
  '$5/month, $50/year',
  '$5,$6,$7',
  'between $5 (cheap) and $10 (dear)',
  '**$5** and **$10**',
  '*$5* or *$10*',
  '| $5 | $10 |',
  '- $5\n- $10',
  '$100k and $2M',
  'Only $5!',
  '$',
  '$$',
  '$ 5 and 6 $',
  'The price is $5, the tax is $1.',
  'It costs \\$5 and \\$6',
  'export $HOME and $PATH',
  '$HOME/$USER/bin',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: text of an answer, not a template
  'echo ${HOME} and ${USER}',
  'A bill of $20 each, or 30$ for two',
  '5$ and 10$',
  '5 $ und 10 $',
  '`$x$` is code',
  '```\n$x$ and $$y$$\n```',
  '~~~tex\n\\(x\\)\n~~~',
  '- list\n  ```\n  $a$\n  ```',
  '$0.05 per 1M tokens ($0.10 out)',
  'Pay $5 today, $10 tomorrow and $15 on Monday.',
  'cash$flow and tax$rate',
  '$AAPL and $TSLA rose',
  '"$5" and "$10"',
  '$5\n\n$10',
  '\\\\(not maths',
]

/** Lines and the formulas in them. */
const MATHS: readonly [string, string[]][] = [
  ['$x$', ['x']],
  ['$x^2 + y^2$ is $z^2$', ['x^2 + y^2', 'z^2']],
  ['the $n$th term', ['n']],
  ['$k$-means and ($p$)', ['k', 'p']],
  ['$5x = 10$', ['5x = 10']],
  ['$5 + 3$', ['5 + 3']],
  ['$3.14$', ['3.14']],
  ['$10\\%$ of $x$', ['10\\%', 'x']],
  ['$\\$5$', ['\\$5']],
  ['$5 \\text{ apples}$', ['5 \\text{ apples}']],
  ['**$x$** and *$y$*', ['x', 'y']],
  ['It costs $5, and $x$ is free', ['x']],
  ['$x$ costs $5', ['x']],
  ['$$E = mc^2$$', ['E = mc^2']],
  ['$$\na\n=\nb\n$$', ['a\n=\nb']],
  ['$$\na\n\nb\n$$', ['a\n\nb']],
  ['\\(a\\) and \\(b\\)', ['a', 'b']],
  ['\\[ \\sum_{i=1}^n i \\]', ['\\sum_{i=1}^n i']],
  ['| $a|b$ | $c$ |', ['a|b', 'c']],
  ['> $$\n> a\n> $$', ['a']],
  ['- $$a$$\n- $b$', ['a', 'b']],
  ['`code` and $x$ and `$y$`', ['x']],
  ['```\n$x$\n```\n$y$', ['y']],
  ['$\\frac{1}{2}$, $\\sqrt{2}$.', ['\\frac{1}{2}', '\\sqrt{2}']],
  ['$f(x)=\\begin{cases}1 & x>0\\\\0\\end{cases}$', ['f(x)=\\begin{cases}1 & x>0\\\\0\\end{cases}']],
]

test.each(MONEY)('%j has no formula', (line) => {
  expect(foundIn(line)).toEqual([])
  expect(markFormulas(line, false).text).toBe(line)
})

test.each(MATHS)('%j has its formulas', (line, formulas) => {
  expect(foundIn(line)).toEqual(formulas)
})

test('a formula that is being written is held back, money is not', () => {
  expect(markFormulas('So $x^2 +', true).text).toBe('So ')
  expect(markFormulas('So $$\\int', true).text).toBe('So ')
  expect(markFormulas('So \\[ a', true).text).toBe('So ')
  expect(markFormulas('It is $5 and', true).text).toBe('It is $5 and')
})

test('a formula knows how it was written', () => {
  expect(markFormulas('a $x$ b', false).formulas).toEqual([{ latex: 'x', isDisplay: false, source: '$x$' }])
  expect(markFormulas('\\[x\\]', false).formulas).toEqual([{ latex: 'x', isDisplay: true, source: '\\[x\\]' }])
})
