export const KEY_VARIABLE = 'API_KEY'

const MAX_LINE_CHARS = 88
// Maximum depth before a value is written as JSON text: compilers and interpreters have bounds of their own.
const MAX_DEPTH = 40

type Dialect = {
  string: (text: string) => string
  key: (name: string) => string
  word: (value: boolean | null) => string
  parsed: (json: string) => string
  indent: string
  isPadded: boolean
}

export const jsLiteral = (value: unknown, depth = 0): string => literal(value, JS, depth)

export const pyLiteral = (value: unknown, depth = 0): string => literal(value, PY, depth)

export const shellQuote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** Prints JSON without invisible characters or characters that change the direction of text. */
export const visibleJson = (value: unknown, space?: number): string => visible(JSON.stringify(value, null, space))

const JS: Dialect = {
  string: jsString,
  // `__proto__: x` would set the prototype instead of a field of that name.
  key: (name) => (name === '__proto__' ? `['__proto__']` : /^[a-z_$][\w$]*$/i.test(name) ? name : jsString(name)),
  word: String,
  parsed: (json) => `JSON.parse(${jsString(json)})`,
  indent: '  ',
  isPadded: true,
}

const PY: Dialect = {
  string: (text) => visibleJson(text),
  key: (name) => visibleJson(name),
  word: (value) => (value === null ? 'None' : value ? 'True' : 'False'),
  parsed: (json) => `json.loads(${visibleJson(json)})`,
  indent: '    ',
  isPadded: false,
}

function jsString(text: string): string {
  const inner = visibleJson(text).slice(1, -1)
  return `'${inner.replace(/\\(.)/g, (pair, char) => (char === '"' ? '"' : pair)).replaceAll("'", String.raw`\'`)}'`
}

function literal(value: unknown, dialect: Dialect, depth: number): string {
  if (isDeep(value, MAX_DEPTH)) return dialect.parsed(JSON.stringify(value))
  return lines(value, dialect, depth)
}

function lines(value: unknown, dialect: Dialect, depth: number): string {
  if (typeof value === 'string') return dialect.string(value)
  if (typeof value === 'boolean' || value === null) return dialect.word(value)
  if (typeof value !== 'object') return JSON.stringify(value) ?? dialect.word(null)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const items = Array.isArray(value)
    ? value.map((item) => lines(item, dialect, depth + 1))
    : Object.entries(value).flatMap(([name, item]) =>
        item === undefined ? [] : [`${dialect.key(name)}: ${lines(item, dialect, depth + 1)}`],
      )
  if (items.length === 0) return open + close
  const pad = dialect.isPadded && open === '{' ? ' ' : ''
  const line = `${open}${pad}${items.join(', ')}${pad}${close}`
  if (line.length + depth * dialect.indent.length <= MAX_LINE_CHARS && !line.includes('\n')) return line
  const indent = dialect.indent.repeat(depth + 1)
  return `${open}\n${items.map((item) => `${indent}${item},\n`).join('')}${dialect.indent.repeat(depth)}${close}`
}

function isDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((item) => isDeep(item, left - 1))
}

/**
 * Escapes invisible and bidirectional characters in a form that JSON, JavaScript and Python share. Source: Unicode TR
 * 36, "Bidirectional text spoofing".
 */
function visible(json: string): string {
  return json.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => char.replace(/./gs, escapeOf))
}

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
