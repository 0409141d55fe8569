'use client'

import { Unplug } from 'lucide-react'
import { Note } from '@/components/rpc/method-notice'
import { fullName } from '@/components/rpc/overview'
import type { NetworkState } from '@/lib/contract/rpc.schema'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type NetworkNoticeProps = { network: RpcNetwork; state: NetworkState | undefined }

/** A network that no node answers for: said before somebody waits for it. */
export function NetworkNotice({ network, state }: NetworkNoticeProps) {
  if (state?.state !== 'down' && state?.state !== 'unconfigured') return null
  return (
    <Note icon={<Unplug aria-hidden="true" className="mt-px size-[18px] shrink-0 text-ink-2" strokeWidth={1.5} />}>
      <p className="font-medium">
        {state.state === 'down'
          ? t('No {network} node is responding.', { network: fullName(network) })
          : t('{network} isn’t connected to this server.', { network: fullName(network) })}
      </p>
      {state.state === 'unconfigured' && (
        <p className="text-ink-2">{t('Pick another network. The operator of this server can connect a node.')}</p>
      )}
      {state.reason && (
        <p className="text-ink-2">
          <bdi lang="en">{state.reason}</bdi>
        </p>
      )}
    </Note>
  )
}
