import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { topOf } from '@/bench/profile'
import { measureRpcLeg, RPC_LEGS, type RpcLegName } from '@/bench/rpc-legs'
import { openRpcBed, type RpcTargetName } from '@/bench/rpc-targets'

const WARM_UP_MS = 12_000
const PROFILE_MS = 8_000

/** Says which functions our server spends its time in while it hands JSON-RPC calls on. */
export async function profileRpc(): Promise<boolean> {
  const wanted = (process.env.PROFILE_LEGS?.split(',') as RpcLegName[] | undefined) ?? ['rpc-c32']
  const target = (process.env.PROFILE_TARGET as RpcTargetName | undefined) ?? 'ours-postgres'
  for (const leg of RPC_LEGS.filter(({ name }) => wanted.includes(name))) {
    const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-profile-'))
    try {
      const profiles = path.join(folder, 'profiles')
      const nodeArguments = { [target]: ['--cpu-prof', '--cpu-prof-dir', profiles] }
      const accounts = leg.hasOwnKeys ? leg.load.connections : 1
      const bed = await openRpcBed(folder, { only: [target], accounts, nodeArguments })
      const profiled = bed.targets.find(({ name }) => name === target)!
      await measureRpcLeg(bed, profiled, leg, WARM_UP_MS)
      const { cpuPerRequestUs, perSecond, faults } = await measureRpcLeg(bed, profiled, leg, PROFILE_MS)
      await bed.stop()
      for (const fault of faults) console.error(`wrong answer: ${fault}`)
      console.log(
        `\n${leg.name}, ${target}: ${cpuPerRequestUs?.toFixed(0)} µs CPU a request, ${perSecond.toFixed(0)} requests/s`,
      )
      console.log(await topOf(profiles, PROFILE_MS))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return true
}
