import { titled } from '@/app/page-language'
import { AdminPage } from '@/components/admin/admin-page'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Administration'), { robots: { index: false } })

export default function AdminScreen() {
  return <AdminPage />
}
