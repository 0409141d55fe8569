'use client'

import { SquareTerminal } from 'lucide-react'
import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { DropdownMenu } from 'radix-ui'
import { type MouseEvent, useCallback, useMemo, useState } from 'react'
import type { RpcCallDraft } from '@/components/rpc/client'
import { linkOf, parseJson, RPC_PATH, readCall } from '@/components/rpc/link'
import { fullName } from '@/components/rpc/networks'
import { IconButton } from '@/components/ui/button'
import { MENU, MENU_ITEM } from '@/components/ui/menu'
import { isRecord } from '@/lib/browser/api'
import { MAX_RPC_BATCH_CALLS } from '@/lib/contract/limits'
import { offerOf } from '@/lib/contract/rpc-methods'
import { NETWORKS, networkOf, type RpcNetwork } from '@/lib/contract/rpc-networks'
import { msg, t } from '@/lib/i18n/t'

const KIND_NAMES: Record<Found['kind'], string> = {
  address: msg('Address'),
  transaction: msg('Transaction'),
  block: msg('Block'),
}
const HEAD_CHARS = 8
const TAIL_CHARS = 6

export function OpenFound({ text }: { text: string }) {
  const found = useMemo(() => foundIn(text), [text])
  if (found.length === 0) return null
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <IconButton label={t('Open in RPC')}>
          <SquareTerminal aria-hidden="true" />
        </IconButton>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="start" sideOffset={4} collisionPadding={8} className={MENU}>
          <DropdownMenu.Label className="px-2 pt-1 pb-1.5 text-12 text-ink-3">{t('Open in RPC')}</DropdownMenu.Label>
          {found.map((each) => (
            <DropdownMenu.Item key={each.value} asChild className={`${MENU_ITEM} justify-between gap-6`}>
              <Link href={linkOf(each).href} prefetch={false}>
                <span>
                  {t(KIND_NAMES[each.kind])}{' '}
                  <span dir="ltr" className="font-mono text-13">
                    {shortened(each.value)}
                  </span>
                </span>
                <span className="text-12 text-ink-3">{fullName(each.network)}</span>
              </Link>
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

const shortened = (value: string): string => `${value.slice(0, HEAD_CHARS)}…${value.slice(-TAIL_CHARS)}`

/** Opens the JSON-RPC calls of a code block. The link cannot be selected, so that a copy has only the code. */
export function OpenSnippet({ code }: { code: string }) {
  const { push } = useRouter()
  const [around, setAround] = useState('')
  // The words of the whole answer may name the network that the code leaves out.
  const look = useCallback((place: HTMLElement | null) => {
    if (place) setAround(place.closest('article')?.textContent ?? '')
  }, [])
  const found = useMemo(() => callsInCode(code, around), [code, around])
  const [call] = found?.calls ?? []
  if (!found || !call) return null
  const openBatch = async (event: MouseEvent) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0
    if (!found.isBatch || !isPlain) return
    event.preventDefault()
    const { openRequest } = await import('@/components/rpc/request-draft')
    openRequest(found.network, found.calls, true)
    push(RPC_PATH)
  }
  return (
    <Link
      ref={look}
      href={linkOf({ network: found.network, ...call }).href}
      prefetch={false}
      onClick={(event) => void openBatch(event)}
      title={t('Open in RPC on {network}', { network: fullName(found.network) })}
      className="inline-flex min-h-9 items-center gap-1.5 rounded-control px-2 text-12 text-ink-3 no-underline select-none hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
    >
      <SquareTerminal aria-hidden="true" className="size-4" strokeWidth={1.5} />
      {t('Open in RPC')}
    </Link>
  )
}

const MAX_SCANNED_CHARS = 200_000
const MAX_FOUND = 8
const MAX_SNIPPET_CHARS = 64_000
// A word this far before a hash tells what it is of.
const WORD_WITHIN_CHARS = 60
const DEFAULT_SLUG = 'base-mainnet'
const DEFAULT_STARKNET_SLUG = 'starknet-mainnet'

const ADDRESS_OR_HASH = /(?<![\da-z])0x(?:[\da-f]{64}|[\da-f]{40})(?![\da-z])/gi
const URL_NETWORK = /\/crypto\/rpc\/([a-z-]{3,40})/
const CURL_BODY = /(?:-d|--data(?:-raw|-binary)?)[ =]*'([^']*)'/

type Found = { kind: 'address' | 'transaction' | 'block'; value: string; network: RpcNetwork } & RpcCallDraft

/** Finds the addresses and hashes of a text, each once, in order. It is a model's: it decides only what is offered. */
export function foundIn(text: string): Found[] {
  const scanned = text.slice(0, MAX_SCANNED_CHARS)
  const mentions = mentionsIn(scanned)
  const found = new Map<string, Found>()
  for (const { 0: value, index } of scanned.matchAll(ADDRESS_OR_HASH)) {
    const key = value.toLowerCase()
    if (found.has(key)) continue
    found.set(key, foundAt(value, index, scanned, nearestMention(mentions, index) ?? networkOf(DEFAULT_SLUG)!))
    if (found.size === MAX_FOUND) break
  }
  return [...found.values()]
}

function foundAt(value: string, index: number, text: string, network: RpcNetwork): Found {
  if (network.family === 'starknet') {
    const method = 'starknet_getTransactionByHash'
    return { kind: 'transaction', value, network, method, params: { transaction_hash: value } }
  }
  if (value.length === 42)
    return { kind: 'address', value, network, method: 'eth_getBalance', params: [value, 'latest'] }
  const before = text.slice(Math.max(0, index - WORD_WITHIN_CHARS), index)
  const word = [...before.matchAll(/block|transaction|\btxn?\b/gi)].at(-1)?.[0].toLowerCase()
  return word === 'block'
    ? { kind: 'block', value, network, method: 'eth_getBlockByHash', params: [value, false] }
    : { kind: 'transaction', value, network, method: 'eth_getTransactionByHash', params: [value] }
}

type FoundCalls = { network: RpcNetwork; calls: RpcCallDraft[]; isBatch: boolean }

/** Reads the JSON-RPC calls of code: JSON, or the body of a curl command. `around` may name the network instead. */
export function callsInCode(code: string, around: string): FoundCalls | undefined {
  if (code.length > MAX_SNIPPET_CHARS) return undefined
  const value = parseJson(code) ?? parseJson(CURL_BODY.exec(code)?.[1] ?? '')
  const items = Array.isArray(value) ? value : [value]
  const calls = items.map(knownCall)
  const [first] = calls
  if (!first || calls.length > MAX_RPC_BATCH_CALLS || !calls.every((call) => call !== undefined)) return undefined
  return { network: networkFor(first.method, code, around), calls, isBatch: Array.isArray(value) }
}

// Other things have a `method` too; a call names its protocol, or has a method that a chain knows.
function knownCall(value: unknown): RpcCallDraft | undefined {
  const call = readCall(value)
  return call && isRecord(value) && (value.jsonrpc === '2.0' || isKnown(call.method)) ? call : undefined
}

function isKnown(method: string): boolean {
  const offer = offerOf('evm', method)
  return offer.isOffered || offer.refusal !== 'unmapped'
}

function networkFor(method: string, code: string, around: string): RpcNetwork {
  const isStarknet = method.startsWith('starknet_')
  const isRight = (network: RpcNetwork | undefined) => network && (network.family === 'starknet') === isStarknet
  const named = networkOf(URL_NETWORK.exec(code)?.[1] ?? '')
  if (named && isRight(named)) return named
  const mentioned = mentionsIn(around.slice(0, MAX_SCANNED_CHARS)).find(({ network }) => isRight(network))
  return mentioned?.network ?? networkOf(isStarknet ? DEFAULT_STARKNET_SLUG : DEFAULT_SLUG)!
}

type Mention = { index: number; network: RpcNetwork }

const MAX_MENTIONS = 200

// As people write them: `base` alone is an ordinary word.
const SHORT_NAMES: Readonly<Record<string, string>> = {
  Sepolia: 'ethereum-sepolia',
  Holesky: 'ethereum-holesky',
  Amoy: 'polygon-amoy',
  Fuji: 'avalanche-fuji',
  BSC: 'bsc-mainnet',
  ...Object.fromEntries(
    NETWORKS.filter(({ isTestnet, group }) => !isTestnet && group !== 'Base').map(({ group, slug }) => [group, slug]),
  ),
}

const NETWORK_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SHORT_NAMES),
  ...NETWORKS.flatMap(({ slug, group, name }): [string, string][] => [
    [slug, slug],
    [`${group} ${name}`, slug],
  ]),
])

// Longest first, so that `Base Sepolia` is not read as `Sepolia`.
const PATTERN = [...NETWORK_NAMES.keys()].toSorted((one, other) => other.length - one.length).join('|')

function mentionsIn(text: string): Mention[] {
  const mentions: Mention[] = []
  for (const { 0: name, index } of text.matchAll(new RegExp(`(?<![\\w-])(?:${PATTERN})(?![\\w-])`, 'g'))) {
    const network = networkOf(NETWORK_NAMES.get(name) ?? '')
    if (network) mentions.push({ index, network })
    if (mentions.length === MAX_MENTIONS) break
  }
  return mentions
}

const nearestMention = (mentions: readonly Mention[], index: number): RpcNetwork | undefined =>
  (mentions.findLast((mention) => mention.index < index) ?? mentions[0])?.network
