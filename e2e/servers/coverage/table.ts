import type { Covered, CoveredRow } from '@/e2e/servers/coverage/cover'
import type { FileOfTest } from '@/e2e/servers/coverage/find-test'
import type { ContractRow } from '@/e2e/servers/coverage/rows'

const HEAD = `# What every operation takes and refuses

Every operation of the interface description, every field of two levels, each asked of the built server by
\`e2e/servers/coverage.spec.ts\`: a sound request; without each field that has to be there; with values of other kinds and beyond
each bound; with what the description does not know; by nobody and by strangers. \`400\` says that every such value was refused
with \`INVALID_REQUEST\`, or the code that the contract has for it, and that the reply names the field; \`–\` that there is no such
value. Nothing of it was charged. Written and compared as above, by \`--project=servers coverage\`.
`

/** Of what is sent beside a body. */
const OF_PLACE: Record<CoveredRow['place'], string> = { query: ' (query)', body: '', form: ' (form)' }

/** The part of docs/compatibility.md about all operations. */
export function coverageTable(covered: ReadonlyMap<string, Covered>): string {
  return HEAD + [...covered].map(([place, seen]) => sectionOf(place, seen)).join('')
}

function sectionOf(place: string, { rows, statuses, unknownFields }: Covered): string {
  const seen = [...statuses].sort(([left], [right]) => left - right).map(([status, codes]) => statusLine(status, codes))
  const unknown = unknownFields ? ` Fields that nobody knows are ${unknownFields}.` : ''
  const head = ['| Field | What it may be | Required | Another kind | Beyond bounds |', '|---|---|---|---|---|']
  const lines = rows.length > 0 ? ['', ...head, ...rows.map(rowLine)] : []
  return [`\n## ${place}\n`, `Seen: ${seen.join(', ')}.${unknown}`, ...lines, ''].join('\n')
}

const statusLine = (status: number, codes: Set<string>): string =>
  [String(status), ...[...codes].sort().map((code) => `\`${code}\``)].join(' ')

function rowLine({ place, name, words, isRequired, wrong = '–', beyond = '–' }: CoveredRow): string {
  return `| \`${name}\`${OF_PLACE[place]} | ${cell(words)} | ${isRequired ? 'yes' : ''} | ${wrong} | ${beyond} |`
}

const ROWS_HEAD = `# Rows that no generated request can show

What the contract says of effects, replies, headers and codes, and the test that shows it. Written from \`e2e/servers/coverage/rows.ts\`
and \`rows-of-accounts.ts\`; each test is looked up on each run.
`

/** The part of docs/compatibility.md about what happens. */
export function rowsTable(files: Record<string, readonly ContractRow[]>, fileOf: FileOfTest): string {
  const sections = Object.entries(files).map(([file, rows]) => {
    const lines = rows.map(([says, beginning, name]) => `| ${says} | \`${fileOf(beginning, name)}\`: ${cell(name)} |`)
    return [`\n## ${file}\n`, '| Row | Shown by |', '|---|---|', ...lines, ''].join('\n')
  })
  return ROWS_HEAD + sections.join('')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
