/** The page behind a sheet, also while the sheet itself is being fetched. */
export const SHEET_OVERLAY = 'fixed inset-0 z-40 bg-[rgb(10_12_16/0.45)]'
