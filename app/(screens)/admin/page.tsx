import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { AdminPage } from '@/components/admin/admin-page'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Administration'), robots: { index: false } }
}

export default function AdminScreen() {
  return <AdminPage />
}
