import { getDb } from '@/lib/db/client'
import { checkLedger } from '@/lib/services/ledger/invariants'
import { answer, type Command } from '@/server/admin/command'

async function check() {
  const findings = await checkLedger(await getDb(), { depth: 'full' })
  const broken = findings.filter((finding) => finding.broken > 0)
  if (broken.length === 0) return answer([`The ledger is consistent: ${findings.length} checks passed.`], { findings })
  const lines = broken.flatMap(({ name, says, broken, examples }) => [
    `${name}: ${broken} broken. ${says}`,
    ...examples.map((example) => `  ${example}`),
  ])
  return answer(
    [...lines, `The ledger is inconsistent: ${broken.length} of ${findings.length} checks failed.`],
    { findings },
    1,
  )
}

export const ledgerCommand: Command = {
  name: 'ledger check',
  usage: 'ledger check',
  summary: 'checks every ledger invariant; if one fails, prints the broken rows and exits with 1',
  options: {},
  needsDatabase: true,
  run: check,
}
