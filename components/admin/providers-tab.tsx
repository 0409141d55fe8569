'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { foundQuery, providersQuery } from '@/components/admin/api'
import { FoundList } from '@/components/admin/found-list'
import { ProviderRow } from '@/components/admin/provider-row'
import { Button } from '@/components/ui/button'
import { Lines, Nothing, RetryLine, Section } from '@/components/ui/section'
import { failureOf } from '@/lib/browser/failure'
import type { ConnectedProvider, FoundServer, ProviderPreset, ProvidersReply } from '@/lib/contract/providers'
import { t } from '@/lib/i18n/t'

const ConnectSheet = dynamic(() => import('@/components/admin/connect-sheet').then((module) => module.ConnectSheet), {
  ssr: false,
})

type Opened = { provider: ConnectedProvider } | { server: Partial<FoundServer> }

export function ProvidersTab() {
  const providers = useQuery(providersQuery())
  const [opened, setOpened] = useState<Opened>()
  return (
    <>
      <div className="mt-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <p className="max-w-110 text-14 text-ink-2">
          {t('Connect a provider with its address and a key. Its models are available at once, at the prices you set.')}
        </p>
        <Button
          kind="primary"
          className="min-h-11 px-5"
          disabled={!providers.data}
          onClick={() => setOpened({ server: {} })}
        >
          {t('Connect provider')}
        </Button>
      </div>
      <section aria-label={t('Connected providers')} className="mt-6 border-t border-line pt-1">
        {providers.isPending && <Lines count={4} query={providers} />}
        {providers.isError && providers.data === undefined && (
          <div className="pt-3">
            <RetryLine
              text={t('The providers could not be loaded. {why}', { why: failureOf(providers.error).message })}
              onRetry={() => void providers.refetch()}
            />
          </div>
        )}
        {providers.data?.providers.length === 0 && (
          <div className="py-4">
            <Nothing>{t('No providers connected yet.')}</Nothing>
          </div>
        )}
        {providers.data && providers.data.providers.length > 0 && (
          <ul className="divide-y divide-line">
            {providers.data.providers.map((provider) => (
              <ProviderRow
                key={provider.name}
                provider={provider}
                preset={presetOf(providers.data, provider.preset)}
                isSandbox={providers.data.isSandbox}
                onEdit={() => setOpened({ provider })}
              />
            ))}
          </ul>
        )}
      </section>
      {providers.data && (
        <FoundServers presets={providers.data.presets} onConnect={(server) => setOpened({ server })} />
      )}
      {opened && providers.data && (
        <ConnectSheet
          {...opened}
          presets={providers.data.presets}
          isSandbox={providers.data.isSandbox}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  )
}

type FoundServersProps = { presets: ProviderPreset[]; onConnect: (server: FoundServer) => void }

function FoundServers({ presets, onConnect }: FoundServersProps) {
  const found = useQuery(foundQuery())
  const look = (
    <Button kind="plain" disabled={found.isFetching} onClick={() => void found.refetch()}>
      {found.isFetching ? t('Searching…') : t('Search again')}
    </Button>
  )
  return (
    <Section title={t('Found on this machine')} aside={look}>
      {found.isPending && <Lines count={2} query={found} />}
      {found.isError && found.data === undefined && (
        <RetryLine text={t('The search failed.')} onRetry={() => void found.refetch()} />
      )}
      {found.data?.length === 0 && (
        <Nothing>
          {t('No other model server is running. Ollama, LM Studio, llama.cpp, vLLM, SGLang and ComfyUI appear here.')}
        </Nothing>
      )}
      {found.data && found.data.length > 0 && <FoundList found={found.data} presets={presets} onConnect={onConnect} />}
    </Section>
  )
}

const presetOf = ({ presets }: ProvidersReply, id: string | null): ProviderPreset | undefined =>
  presets.find((preset) => preset.id === id)
