'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Wordmark } from '@/components/common/wordmark'
import { Button } from '@/components/ui/button'
import { Setting } from '@/components/ui/setting'
import { goTo } from '@/lib/browser/commands'
import { install, useCanInstall } from '@/lib/browser/offline'
import { operatorQuery } from '@/lib/browser/operator'
import { useService } from '@/lib/browser/session'
import type { Service } from '@/lib/contract/session'
import { plural, t } from '@/lib/i18n/t'

export function About() {
  const service = useService()
  const canInstall = useCanInstall()
  const pages = useQuery({ queryKey: ['kept-pages'], queryFn: cachedPages, networkMode: 'always', staleTime: 0 })
  const operator = useQuery(operatorQuery())
  const isInstalled = window.matchMedia('(display-mode: standalone)').matches
  return (
    <>
      <div className="border-b border-line py-5">
        <Wordmark />
        <p className="mt-2 max-w-120 text-14 text-ink-2">
          {t(
            'Chat with open models and see what each answer costs. Your chats stay on your device. Everything on these pages is loaded from this service alone.',
          )}
        </p>
        {operator.data?.isOperator && (
          <Button className="mt-3" onClick={() => goTo('/admin')}>
            {t('Administration')}
          </Button>
        )}
      </div>
      <Setting id="version" isWide>
        {service && <Facts service={service} />}
      </Setting>
      <Setting id="install">
        {isInstalled && <p className="text-14 text-ink-2">{t('Installed.')}</p>}
        {!isInstalled && canInstall && <Button onClick={() => void install()}>{t('Install')}</Button>}
        {!isInstalled && !canInstall && (
          <p className="max-w-60 text-13 text-ink-2">{t('Use “Install app” in your browser menu.')}</p>
        )}
      </Setting>
      <Setting id="offline">
        <p className="max-w-60 text-14 text-ink-2">{pages.isSuccess && CACHED_PAGES(pages.data)}</p>
      </Setting>
    </>
  )
}

const LICENSE = 'MIT'

function Facts({ service: { version, operator, sourceUrl } }: { service: Service }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-14">
      <Fact name={t('Version')}>
        <span className="font-mono text-13">{version}</span>
      </Fact>
      <Fact name={t('Licence')}>{LICENSE}</Fact>
      {(operator.name ?? operator.url) && (
        <Fact name={t('Operator')}>
          {operator.url ? <Out href={operator.url}>{operator.name ?? operator.url}</Out> : operator.name}
        </Fact>
      )}
      {sourceUrl && (
        <Fact name={t('Source code')}>
          <Out href={sourceUrl}>{sourceUrl}</Out>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  )
}

function Out({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className="underline underline-offset-2 hover:text-accent">
      {children}
    </a>
  )
}

const CACHED_PAGES = (count: number): string => {
  if (count === 0) return t('Not saved for offline use yet.')
  return plural(count, { one: '{count} page saved.', other: '{count} pages saved.' })
}

async function cachedPages(): Promise<number> {
  const names = (await window.caches?.keys()) ?? []
  const counts = await Promise.all(
    names
      .filter((name) => name.startsWith('pages-'))
      .map(async (name) => (await (await caches.open(name)).keys()).length),
  )
  return Math.max(0, ...counts)
}
