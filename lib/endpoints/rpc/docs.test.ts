import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { formatUsd } from '@/lib/contract/money'
import { METHOD_GROUPS, offerOf, REFUSED_METHODS, type Tier } from '@/lib/contract/rpc-methods'
import { NETWORKS, type RpcFamily } from '@/lib/contract/rpc-networks'
import { parseConfig } from '@/lib/kernel/config'
import { priceOf } from '@/lib/services/ledger/meter'

const DOCUMENT = new URL('../../../docs/rpc.md', import.meta.url)
const MARKS = {
  start: '<!-- generated: UPDATE_DOCS=1 npx vitest run lib/endpoints/rpc/docs.test.ts -->',
  end: '<!-- /generated -->',
}

const TIERS: Record<Tier, string> = { 1: 'standard', 2: 'advanced', 4: 'large' }
const FAMILIES = { evm: 'EVM', starknet: 'Starknet' } as const

const { rpcCreditPrice } = parseConfig({})
const dollars = (credits: number): string => formatUsd(priceOf([{ units: credits, price: rpcCreditPrice }]), 6)
const row = (...cells: unknown[]): string => `| ${cells.join(' | ')} |`

function networkTable(): string[] {
  return [
    row('Network', 'Slug', 'Chain id', 'Family', 'Credits', 'USD per standard call'),
    '|---|---|---|---|---|---|',
    ...NETWORKS.map(({ group, name, slug, chainId, family, credits }) => {
      const id = family === 'evm' ? `${Number(chainId)} (\`${chainId}\`)` : `\`${chainId}\``
      return row(`${group} ${name}`, `\`${slug}\``, id, FAMILIES[family], credits, dollars(credits))
    }),
  ]
}

function methodTable(): string[] {
  const [max, zksync] = [...new Set(NETWORKS.map(({ credits }) => credits))].sort((a, b) => a - b) as [number, number]
  const networks = (family: RpcFamily) => NETWORKS.filter((network) => network.family === family).length
  return [
    row('Method', 'Group', 'Networks', 'Tier', 'Credits', 'On zkSync'),
    '|---|---|---|---|---|---|',
    ...METHOD_GROUPS.flatMap(({ name, family, tier, methods }) =>
      methods.map((method) => {
        const where = `${networks(family)} ${FAMILIES[family]}`
        const onZksync = family === 'evm' ? zksync * tier : '–'
        return row(`\`${method}\``, name, where, `${TIERS[tier]} ×${tier}`, max * tier, onZksync)
      }),
    ),
  ]
}

function refusedTable(): string[] {
  const hintOf = (method: string, family: RpcFamily = 'evm') => {
    const offer = offerOf(family, method)
    return offer.isOffered ? 'offered' : offer.hint
  }
  return [
    row('Methods', 'Reason and alternative'),
    '|---|---|',
    ...Object.entries(REFUSED_METHODS).map(([refusal, methods]) => {
      const others = refusal === 'key' ? ['personal_*', 'miner_*', 'admin_*'] : []
      return row([...methods, ...others].map((method) => `\`${method}\``).join(' '), hintOf(methods[0]!))
    }),
    row('`starknet_*` on an EVM network', hintOf('starknet_call')),
    row('EVM methods on a Starknet network', hintOf('eth_call', 'starknet')),
    row('all other methods', hintOf('debug_setHead')),
  ]
}

const generated = [
  MARKS.start,
  '## Networks',
  '',
  `Ten million credits cost ${formatUsd(priceOf([{ units: 10_000_000, price: rpcCreditPrice }]), 2)} USD, unless the operator set another price.`,
  '',
  ...networkTable(),
  '',
  '## Methods',
  '',
  'Extensions of one chain (`zks_`, `linea_`, `bor_`, `arbtrace_`) may be sent to every EVM network; nodes of other chains return an error.',
  'So do public nodes without traces or account abstraction.',
  '',
  ...methodTable(),
  '',
  '## Methods that are not offered',
  '',
  ...refusedTable(),
  MARKS.end,
].join('\n')

test('docs/rpc.md lists every network and method as they are; UPDATE_DOCS=1 writes it', async () => {
  const text = await readFile(DOCUMENT, 'utf8')
  const start = text.indexOf(MARKS.start)
  const end = text.indexOf(MARKS.end)
  const prose = start < 0 ? text : text.slice(0, start)
  const rest = end < 0 ? '\n' : text.slice(end + MARKS.end.length)
  const expected = `${prose}${generated}${rest}`
  if (process.env.UPDATE_DOCS) await writeFile(DOCUMENT, expected)
  expect(await readFile(DOCUMENT, 'utf8')).toBe(expected)
})
