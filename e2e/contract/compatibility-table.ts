import type { FieldGroup, FieldRow } from '@/e2e/contract/field-rows'

const HEAD = `# What of the chat interface works

Every field of the contract, and what shows that it does. Each cell is a test of \`e2e/contract/fields.spec.ts\` against the built
server, with a scripted model server that shows what reaches it, and with the embedded models; this part is written by them
(\`UPDATE_DOCS=1 npx playwright test --project=contract fields\`) and compared on each run.
`

/** The table of docs/compatibility.md: a row a field, a test a cell. */
export function compatibilityTable(groups: FieldGroup[]): string {
  const sections = groups.map(({ title, rows }) =>
    [
      `\n## ${title}\n`,
      '| Field | Taken | Effect shown | Bad value refused |',
      '|---|---|---|---|',
      ...rows.map(lineOf),
      '',
    ].join('\n'),
  )
  return `${HEAD}${sections.join('')}`
}

function lineOf({ field, effect, refused }: FieldRow): string {
  const name = field.includes('`') || field.includes(' ') ? field : `\`${field}\``
  return `| ${name} | yes | ${effect[0]} | ${typeof refused === 'string' ? refused : 'yes, 400'} |`
}
