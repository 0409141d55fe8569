/**
 * Next's hook at the start of a server. Loads the models, the ledger's sweep and the payment reconciler on a Next host
 * that is not our own front, which loads them before Next.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { isCatalogueLoaded, loadCatalogue } = await import('@/lib/services/models/catalogue')
  if (isCatalogueLoaded()) return
  const { startSweeper } = await import('@/lib/services/ledger/sweep')
  const { startReconciler } = await import('@/lib/services/payments/reconciler')
  const { shippedCharacters } = await import('@/lib/services/characters/shipped')
  await Promise.all([loadCatalogue(), shippedCharacters()])
  startSweeper()
  startReconciler()
}
