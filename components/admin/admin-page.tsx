'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Tabs } from 'radix-ui'
import { useState } from 'react'
import { ModelsTab } from '@/components/admin/models-tab'
import { ProvidersTab } from '@/components/admin/providers-tab'
import { TopBar } from '@/components/common/top-bar'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Lines, RetryLine } from '@/components/ui/section'
import { failureOf } from '@/lib/browser/failure'
import { OPERATOR_KEY, operatorQuery, signOutOperator } from '@/lib/browser/operator'
import { t } from '@/lib/i18n/t'

const LINK_COMMAND = 'npm run admin -- operator link'
const TAB =
  '-mb-px inline-flex min-h-10 items-center border-b-2 border-transparent px-3 text-14 font-medium text-ink-3 transition-colors ' +
  'hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:min-h-11'

export function AdminPage() {
  const operator = useQuery(operatorQuery())
  return (
    <>
      <TopBar>
        <h1 className="px-2 text-14 font-medium">{t('Administration')}</h1>
      </TopBar>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto w-full max-w-200 px-4 pt-6 pb-16 md:pt-10">
          {operator.isPending && <Lines count={4} query={operator} />}
          {operator.isError && operator.data === undefined && (
            <RetryLine text={failureOf(operator.error).message} onRetry={() => void operator.refetch()} />
          )}
          {operator.data && !operator.data.isOperator && (
            <SignIn isLinkRefused={operator.data.isLinkRefused === true} />
          )}
          {operator.data?.isOperator && <Rooms />}
        </div>
      </div>
    </>
  )
}

function SignIn({ isLinkRefused }: { isLinkRefused: boolean }) {
  return (
    <div className="max-w-130">
      <h2 className="font-serif text-24 font-[440] tracking-[-0.01em]">{t('For the operator of this server')}</h2>
      {isLinkRefused && (
        <p role="alert" className="mt-3 text-14 text-danger">
          {t('This link is not valid, or has expired. Create a new one.')}
        </p>
      )}
      <p className="mt-3 text-14 text-ink-2">
        {t('Run this command on the server, then open the link that it prints. The link is valid for 24 hours.')}
      </p>
      <p className="mt-3 flex items-center gap-2 rounded-card border border-line bg-sunken ps-4 pe-1">
        <code dir="ltr" className="min-w-0 flex-1 py-2 font-mono text-13 wrap-anywhere">
          {LINK_COMMAND}
        </code>
        <CopyButton text={LINK_COMMAND} label={t('Copy command')} />
      </p>
    </div>
  )
}

type Room = 'models' | 'providers'

function Rooms() {
  const [room, setRoom] = useState<Room>('models')
  return (
    <Tabs.Root value={room} onValueChange={(next) => setRoom(next as Room)}>
      <div className="flex items-center justify-between gap-4 border-b border-line">
        <Tabs.List aria-label={t('Administration')} className="flex">
          <Tabs.Trigger value="models" className={TAB}>
            {t('Models')}
          </Tabs.Trigger>
          <Tabs.Trigger value="providers" className={TAB}>
            {t('Providers')}
          </Tabs.Trigger>
        </Tabs.List>
        <SignOutButton />
      </div>
      <Tabs.Content value="models" tabIndex={-1} className="outline-none">
        <ModelsTab />
      </Tabs.Content>
      <Tabs.Content value="providers" tabIndex={-1} className="outline-none">
        <ProvidersTab />
      </Tabs.Content>
    </Tabs.Root>
  )
}

function SignOutButton() {
  const client = useQueryClient()
  const leaving = useMutation({
    mutationFn: signOutOperator,
    onSuccess: () => {
      client.setQueryData(OPERATOR_KEY, { isOperator: false })
      client.removeQueries({ queryKey: ['admin'], type: 'inactive' })
    },
  })
  return (
    <Button kind="plain" disabled={leaving.isPending} onClick={() => leaving.mutate()}>
      {t('Sign out')}
    </Button>
  )
}
