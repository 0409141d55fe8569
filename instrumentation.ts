/**
 * Next's hook at the start of a server. Behind our own front everything is loaded before Next is; on any other Next host
 * the API needs its models, the ledger its sweep, and open payments their look-out, from here.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { isCatalogueLoaded, loadCatalogue } = await import('@/lib/services/models/catalogue')
  if (isCatalogueLoaded()) return
  const { startSweeper } = await import('@/lib/services/ledger/ledger')
  const { startReconciler } = await import('@/lib/services/payments/reconciler')
  const { shippedCharacters } = await import('@/lib/services/characters/shipped')
  await Promise.all([loadCatalogue(), shippedCharacters()])
  startSweeper()
  startReconciler()
}
