import { benchCompare } from '@/bench/compare'
import { benchConnections } from '@/bench/connections'
import { benchGateway } from '@/bench/gateway'
import { run as benchLedger } from '@/bench/ledger'
import { benchProcesses } from '@/bench/processes'
import { profileGateway, profileRpc } from '@/bench/profile'
import { benchRpc } from '@/bench/rpc'
import { benchSoak } from '@/bench/soak'
import { benchUi } from '@/bench/ui/ui'
import { benchWallets } from '@/bench/wallets'
import { ensureBuilt } from '@/scripts/tools/build'

/** Every bench by its name. A bench says false when something was wrong; slow is not wrong. */
const BENCHES: Record<string, () => Promise<boolean>> = {
  compare: benchCompare,
  connections: benchConnections,
  gateway: benchGateway,
  ledger: benchLedger,
  processes: benchProcesses,
  profile: profileGateway,
  rpc: benchRpc,
  'rpc-profile': profileRpc,
  soak: benchSoak,
  ui: benchUi,
  wallets: benchWallets,
}
/** What runs when nothing is named. */
const USUAL = ['gateway', 'ledger', 'wallets', 'rpc']

const names = process.argv.slice(2)
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name))
if (unknown !== undefined) {
  console.error(`There is no bench ${unknown}. Benches: ${Object.keys(BENCHES).join(', ')}`)
  process.exit(2)
}
if (!(await ensureBuilt(process.cwd()))) process.exit(1)
let isRight = true
for (const name of names.length > 0 ? names : USUAL) isRight = (await BENCHES[name]!()) && isRight
process.exit(isRight ? 0 : 1)
