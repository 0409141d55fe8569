import { linkOf, readLink } from '@/components/rpc/link'
import { listMethods } from '@/components/rpc/method-list'
import { fullName } from '@/components/rpc/networks'
import { goTo } from '@/lib/browser/commands'
import { type Item, matching } from '@/lib/browser/palette-items'
import { NETWORKS, type RpcNetwork } from '@/lib/contract/rpc-networks'

const MAX_ITEMS = 8

export function rpcItems(text: string): Item[] {
  const networks = matching(NETWORKS.map(networkItem), text, MAX_ITEMS)
  const here = currentNetwork()
  const families = [here, ...NETWORKS].filter(
    (network, index, all) => all.findIndex(({ family }) => family === network.family) === index,
  )
  const methods = matching(families.flatMap(methodItems), text, MAX_ITEMS)
  return [...networks, ...(methods.length > 0 ? methods : methodsElsewhere(text))]
}

// `base balance`: the first word names the network, the others the method.
function methodsElsewhere(text: string): Item[] {
  const [networkText = '', ...methodTexts] = text.split(/\s+/)
  if (methodTexts.length === 0) return []
  const found = matching(NETWORKS.map(networkItem), networkText, 2).map(({ id }) => id)
  const networks = NETWORKS.filter(({ slug }) => found.includes(`network-${slug}`))
  return matching(networks.flatMap(methodItems), methodTexts.join(' '), MAX_ITEMS)
}

const networkItem = (network: RpcNetwork): Item => ({
  id: `network-${network.slug}`,
  kind: 'network',
  name: fullName(network),
  note: network.slug,
  searchTerms: `${network.currency} ${network.family} ${network.chainId} ${BigInt(network.chainId)}`,
  run: () => goTo(`/rpc/${network.slug}`),
})

const methodItems = (network: RpcNetwork): Item[] =>
  listMethods(network)
    .filter((entry) => !entry.isForeign && 'tier' in entry)
    .map(
      ({ method, group }): Item => ({
        id: `method-${network.slug}-${method}`,
        kind: 'method',
        name: method,
        note: fullName(network),
        searchTerms: group,
        run: () => goTo(linkOf({ network, method }).href),
      }),
    )

function currentNetwork(): RpcNetwork {
  const { network } = readLink(window.location.pathname, '')
  return network ?? NETWORKS.find(({ slug }) => slug === 'ethereum-mainnet') ?? NETWORKS[0]!
}
