'use client'

import { chooseMethod } from '@/components/rpc/request-draft'
import type { RpcFamily } from '@/lib/contract/rpc-networks'
import { msg, t } from '@/lib/i18n/t'

type Starter = { method: string; words: string }

const STARTERS: Record<RpcFamily, readonly Starter[]> = {
  evm: [
    { method: 'eth_getBlockByNumber', words: msg('Latest block') },
    { method: 'eth_getBalance', words: msg('Native balance of an address') },
    { method: 'eth_call', words: msg('Call a contract') },
    { method: 'eth_feeHistory', words: msg('Recent gas fees') },
    { method: 'eth_getLogs', words: msg('Contract events') },
  ],
  starknet: [
    { method: 'starknet_getBlockWithTxHashes', words: msg('Latest block') },
    { method: 'starknet_call', words: msg('Call a contract') },
    { method: 'starknet_getEvents', words: msg('Contract events') },
    { method: 'starknet_getClassAt', words: msg('Code at an address') },
  ],
}

type StartersProps = { family: RpcFamily; method: string }

/** Calls to begin with, for who has run none yet. Each works as it stands. */
export function Starters({ family, method }: StartersProps) {
  return (
    <section aria-label={t('Example calls')} className="shrink-0 px-2 pb-4">
      <h3 className="px-2 pb-1 text-12 font-medium text-ink-3">{t('Examples')}</h3>
      <ul>
        {STARTERS[family].map((starter) => (
          <li key={starter.method}>
            <button
              type="button"
              aria-pressed={starter.method === method}
              onClick={() => chooseMethod(starter.method)}
              className="flex min-h-9 w-full flex-wrap items-baseline justify-between gap-x-4 rounded-control px-2 py-1.5 text-start text-14 hover:bg-hover aria-pressed:bg-accent-soft pointer-coarse:min-h-11 pointer-coarse:items-center"
            >
              {t(starter.words)}
              <span dir="ltr" className="font-mono text-12 text-ink-3">
                {starter.method}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
