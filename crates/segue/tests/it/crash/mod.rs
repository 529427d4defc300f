//! What happens to work when something dies: servers, hosts, agents, disks. Every test kills or breaks something of
//! the real program and asks for the truth afterwards; every test ends with nothing left.

mod chance;
mod crowd;
mod flow_damage;
mod flow_frames;
mod flow_ground;
mod flow_scene;
mod flow_stages;
mod neighbours;
mod orphans;
mod processes;
mod scene;
mod silence;
mod spare_hosts;
mod stages;
mod starting;
mod storage;
mod unkillable;
