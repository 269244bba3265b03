//! The file system, devices, processes, remote code.

mod account_change;
mod device_write;
mod disk_fill;
mod downloaded_code;
mod earlier_file_run;
mod extract_outside;
mod firewall_off;
mod fork_bomb;
mod hidden_code;
mod kill_everything;
mod machine_power;
mod not_understood;
mod outside_delete;
mod outside_file_delete;
mod outside_overwrite;
mod recursive_permission;
mod root_delete;
mod sandbox_off;
mod security_weakened;
mod service_stop;
mod storage_destroy;
mod system_write;
mod unknown_delete;
mod work_delete;
mod work_file_delete;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &root_delete::RootDelete,
    &outside_delete::OutsideDelete,
    &unknown_delete::UnknownDelete,
    &work_delete::WorkDelete,
    &work_file_delete::WorkFileDelete,
    &outside_file_delete::OutsideFileDelete,
    &outside_overwrite::OutsideOverwrite,
    &device_write::DeviceWrite,
    &recursive_permission::RecursivePermission,
    &system_write::SystemWrite,
    &extract_outside::ExtractOutside,
    &security_weakened::SecurityWeakened,
    &sandbox_off::SandboxOff,
    &disk_fill::DiskFill,
    &fork_bomb::ForkBomb,
    &kill_everything::KillEverything,
    &machine_power::MachinePower,
    &downloaded_code::DownloadedCode,
    &earlier_file_run::EarlierFileRun,
    &hidden_code::HiddenCode,
    &service_stop::ServiceStop,
    &firewall_off::FirewallOff,
    &storage_destroy::StorageDestroy,
    &account_change::AccountChange,
    &not_understood::NotUnderstood,
];
