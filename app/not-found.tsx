import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { Notice } from '@/components/shell/notice'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Not found') }
}

export default async function NotFound() {
  await ready()
  return (
    <Notice title={t('Page not found.')}>
      <a href="/" className="text-accent underline underline-offset-4">
        {t('Start new chat')}
      </a>
    </Notice>
  )
}
