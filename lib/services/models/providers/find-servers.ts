import 'server-only'
import type { FoundServer } from '@/lib/contract/providers'
import { config } from '@/lib/kernel/config'
import { withDeadline } from '@/lib/kernel/deadlines'
import { localAddresses } from '@/lib/services/models/catalogue'
import { listModels, targetOf } from '@/lib/services/models/providers/list-models'
import { PRESETS } from '@/lib/services/models/providers/presets'
import { readProviders } from '@/lib/services/models/providers/store'

/** On this machine a server answers at once, or is none. */
const TIMEOUT_MS = 1_500

type Place = { preset: string; address: string }

/** Usual addresses of servers on this machine. */
const PLACES: Place[] = PRESETS.filter(({ keyUrl }) => keyUrl === undefined).map(({ id, address }) => ({
  preset: id,
  address,
}))

/** Looks for model servers on this machine that are not connected yet. */
export async function findServers(places = PLACES): Promise<FoundServer[]> {
  if (!config().findsLocalEngines) return []
  const [connected, inUse] = [await readProviders(), localAddresses()]
  const known = new Set(connected.flatMap(({ definition }) => definition.baseUrls))
  const found = await Promise.all(places.map(findAt))
  return found
    .flat()
    .filter(({ address }) => !known.has(address))
    .map((server) => ({ ...server, isInUse: inUse.includes(server.address) }))
}

async function findAt({ preset, address }: Place): Promise<Omit<FoundServer, 'isInUse'>[]> {
  const own = PRESETS.find(({ id }) => id === preset)
  // Several kinds have the compatible list, and say in it what they are: their port alone is no proof.
  const given = own?.lists === 'openai' ? { address } : { preset, address }
  try {
    const { target, models, omitted } = await withDeadline(listModels(targetOf(given)), TIMEOUT_MS)
    if (models.length === 0 && omitted === 0) return []
    return [{ preset: target.preset?.id ?? preset, address: target.address, models: models.length }]
  } catch {
    // Nobody there is the usual case, and not a fault.
    return []
  }
}
