'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { foundQuery, providersQuery } from '@/components/admin/api'
import { FoundList } from '@/components/admin/found-list'
import { Button } from '@/components/ui/button'
import { Lines, RetryLine } from '@/components/ui/section'
import { failureOf } from '@/lib/browser/failure'
import type { FoundServer } from '@/lib/contract/providers'
import { t } from '@/lib/i18n/t'

const ConnectSheet = dynamic(() => import('@/components/admin/connect-sheet').then((module) => module.ConnectSheet), {
  ssr: false,
})

/** Offers the operator to connect what makes images of words: servers found on this machine, or one by its address. */
export function ConnectImageServer() {
  const providers = useQuery(providersQuery())
  const found = useQuery(foundQuery())
  const [server, setServer] = useState<Partial<FoundServer>>()
  if (providers.isError && providers.data === undefined) {
    return <RetryLine text={failureOf(providers.error).message} onRetry={() => void providers.refetch()} />
  }
  if (!providers.data) return <Lines count={3} query={providers} />
  const presets = providers.data.presets.filter(({ makes }) => makes === 'images')
  const here = found.data?.filter(({ preset }) => presets.some(({ id }) => id === preset)) ?? []
  return (
    <section aria-label={t('Connect an image server')} className="rounded-card border border-line bg-surface p-4">
      <h2 className="font-serif text-20 font-[440] tracking-[-0.01em]">{t('Connect an image server')}</h2>
      <p className="mt-1.5 text-14 text-ink-2">
        {t('To create images from a prompt, connect ComfyUI, Stable Diffusion WebUI or an OpenAI-compatible server.')}
      </p>
      {here.length > 0 ? (
        <div className="mt-2">
          <FoundList found={here} presets={presets} onConnect={setServer} />
        </div>
      ) : (
        <p className="mt-2 text-13 text-ink-3" aria-live="polite">
          {found.isFetching ? t('Searching…') : t('No image server is running on this machine.')}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button kind={here.length > 0 ? 'quiet' : 'primary'} onClick={() => setServer({})}>
          {t('Enter address')}
        </Button>
        <Button kind="plain" disabled={found.isFetching} onClick={() => void found.refetch()}>
          {t('Search again')}
        </Button>
      </div>
      {server && (
        <ConnectSheet
          server={server}
          presets={presets}
          title={t('Connect an image server')}
          isSandbox={providers.data.isSandbox}
          onClose={() => setServer(undefined)}
        />
      )}
    </section>
  )
}
