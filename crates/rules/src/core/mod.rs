//! The file system, devices, processes, remote code.

mod device_write;
mod downloaded_code;
mod fork_bomb;
mod hidden_code;
mod kill_everything;
mod machine_power;
mod not_understood;
mod outside_delete;
mod outside_file_delete;
mod recursive_permission;
mod root_delete;
mod system_write;
mod unknown_delete;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &root_delete::RootDelete,
    &outside_delete::OutsideDelete,
    &unknown_delete::UnknownDelete,
    &outside_file_delete::OutsideFileDelete,
    &device_write::DeviceWrite,
    &recursive_permission::RecursivePermission,
    &system_write::SystemWrite,
    &fork_bomb::ForkBomb,
    &kill_everything::KillEverything,
    &machine_power::MachinePower,
    &downloaded_code::DownloadedCode,
    &hidden_code::HiddenCode,
    &not_understood::NotUnderstood,
];
